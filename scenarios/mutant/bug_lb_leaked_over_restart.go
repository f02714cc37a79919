package mutant

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func lbLeakedOverRestart() Mutant {
	return Mutant{
		Name:     "lb-leaked-over-restart",
		Row:      "20",
		Title:    "what there is to delete is asked of the process' memory",
		Issues:   []string{"kubernetes#53451", "kubernetes#78124"},
		Fault:    "the CCM is killed in the middle of a deletion, and a Service is deleted while none runs",
		Expected: "the next process finds in the cloud what is left, deletes it, and takes the finalizer off after that",
		Scenario: "lb-leaked-over-restart",
		Caught:   "What is there to delete only the cloud knows",
		open: func(p Provider) cloudprovider.Interface {
			var made sync.Map
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return fromMemory{right, &made}
			}}
		},
	}
}

// fromMemory knows of the load balancers that this process has ensured, by the
// UIDs of their Services, and of no others.
type fromMemory struct {
	cloudprovider.LoadBalancer
	made *sync.Map
}

func (f fromMemory) GetLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	if _, known := f.made.Load(svc.UID); !known {
		return nil, false, nil
	}
	return f.LoadBalancer.GetLoadBalancer(ctx, cluster, svc)
}

func (f fromMemory) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	f.made.Store(svc.UID, true)
	return f.LoadBalancer.EnsureLoadBalancer(ctx, cluster, svc, nodes)
}
