package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func failedCreationKept() Mutant {
	return Mutant{
		Name:     "failed-creation-kept",
		Row:      "26",
		Title:    "a load balancer whose creation has ended in error is waited for, and never made anew",
		Issues:   []string{"openstack#2541", "openstack#2341", "oci#175"},
		Fault:    "the creation of a load balancer ends in error",
		Expected: "delete it and make another",
		Scenario: "lb-in-error-for-ever",
		Caught:   "A load balancer whose creation ends in error never works",
		Also:     []string{"error-after-restart-for-ever"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return neverRepairs{right, p.API}
			}}
		},
	}
}

// neverRepairs changes no load balancer that is not active. It can delete one.
type neverRepairs struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (n neverRepairs) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	if err := active(ctx, n.api, svc); err != nil {
		return nil, err
	}
	return n.LoadBalancer.EnsureLoadBalancer(ctx, cluster, svc, nodes)
}
