package mutant

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func errorAfterRestartForEver() Mutant {
	return Mutant{
		Name:     "error-after-restart-for-ever",
		Row:      "28",
		Title:    "a load balancer in error is made anew only by the process that has made it",
		Issues:   []string{"openstack loadbalancer.go:316-323"},
		Fault:    "the CCM is killed while a load balancer is created, and the creation ends in error when the next process has found it",
		Expected: "the next process replaces it",
		Scenario: "error-after-restart-for-ever",
		Caught:   "also when it has found it at its start",
		open: func(p Provider) cloudprovider.Interface {
			var begun sync.Map
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return repairsItsOwn{right, p.API, &begun}
			}}
		},
	}
}

// repairsItsOwn has the repair in the way to a new load balancer alone. begun
// are the UIDs of the Services that this process has gone that way with.
type repairsItsOwn struct {
	cloudprovider.LoadBalancer
	api   *client.Client
	begun *sync.Map
}

func (r repairsItsOwn) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	if _, begun := r.begun.Load(svc.UID); !begun {
		if err := active(ctx, r.api, svc); err != nil {
			return nil, err
		}
		r.begun.Store(svc.UID, true)
	}
	return r.LoadBalancer.EnsureLoadBalancer(ctx, cluster, svc, nodes)
}
