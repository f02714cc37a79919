package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func typeChangeOrphansLb() Mutant {
	return Mutant{
		Name:     "type-change-orphans-lb",
		Row:      "24",
		Title:    "the load balancer is looked for by the address in the Service's status",
		Issues:   []string{"linode#211"},
		Fault:    "the type of a Service changes to NodePort, and the API server clears its status",
		Expected: "the load balancer and its address are deleted, and the finalizer is taken off after that",
		Scenario: "type-change-orphans-lb",
		Caught:   "whatever the status says",
		Also:     []string{"dependency-left-behind", "requested-address-removed"}, // where a Service is deleted before it has an address
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return byStatus{right}
			}}
		},
	}
}

// byStatus finds a load balancer by its address, which only the status tells it.
type byStatus struct{ cloudprovider.LoadBalancer }

func (b byStatus) GetLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	if len(svc.Status.LoadBalancer.Ingress) == 0 {
		return nil, false, nil
	}
	return b.LoadBalancer.GetLoadBalancer(ctx, cluster, svc)
}
