package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func nodesOfBefore() Mutant {
	return Mutant{
		Name:     "nodes-of-before",
		Row:      "47",
		Title:    "to ensure a load balancer that is there leaves its targets as they are",
		Issues:   []string{"kubernetes#59900", "kubernetes#109180", "kubernetes#121090"},
		Fault:    "the nodes change while the CCM is down",
		Expected: "the targets are the nodes of now soon after the start",
		Scenario: "nodes-of-before",
		Caught:   "It must make the targets what they are to be",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(keepsTargets{p.API}), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return ensuresTheRest{right}
			}}
		},
	}
}

// ensuring marks the calls of EnsureLoadBalancer.
type ensuring struct{}

// ensuresTheRest leaves the targets to UpdateLoadBalancer, which is told of every change of the nodes.
type ensuresTheRest struct{ cloudprovider.LoadBalancer }

func (e ensuresTheRest) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	return e.LoadBalancer.EnsureLoadBalancer(context.WithValue(ctx, ensuring{}, true), cluster, svc, nodes)
}

// keepsTargets changes no target for an Ensure.
type keepsTargets struct{ *client.Client }

func (k keepsTargets) CreateTarget(ctx context.Context, lb simcloud.ID, spec simcloud.TargetSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if ctx.Value(ensuring{}) != nil {
		return simcloud.Result[simcloud.LoadBalancer]{}, nil
	}
	return k.Client.CreateTarget(ctx, lb, spec, opts...)
}

func (k keepsTargets) DeleteTarget(ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if ctx.Value(ensuring{}) != nil {
		return simcloud.Result[simcloud.LoadBalancer]{}, nil
	}
	return k.Client.DeleteTarget(ctx, lb, instance, opts...)
}
