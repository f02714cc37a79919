package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func lbRecreated() Mutant {
	return Mutant{
		Name:     "lb-recreated",
		Title:    "each change makes the load balancer anew",
		Scenario: "lb-provisioning",
		Caught:   "The load balancer and its address stay",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return recreating{right}
			}}
		},
	}
}

type recreating struct{ cloudprovider.LoadBalancer }

func (r recreating) EnsureLoadBalancer(ctx context.Context, cluster string, service *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	if err := r.EnsureLoadBalancerDeleted(ctx, cluster, service); err != nil {
		return nil, err
	}
	return r.LoadBalancer.EnsureLoadBalancer(ctx, cluster, service, nodes)
}
