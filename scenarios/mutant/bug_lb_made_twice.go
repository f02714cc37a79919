package mutant

import (
	"context"
	"strings"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func lbMadeTwice() Mutant {
	return Mutant{
		Name:     "lb-made-twice",
		Title:    "two workers make a load balancer for the same Service, and the second one is forgotten until the Service goes",
		Scenario: "plain-day",
		Caught:   "one-load-balancer there were 2 load balancers for the Service web",
		open: func(p Provider) cloudprovider.Interface {
			return p.right(twice{p.API})
		},
	}
}

const againSuffix = "-again"

type twice struct{ *client.Client }

func (t twice) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	first, err := t.Client.CreateLoadBalancer(ctx, spec, opts...)
	if err != nil {
		return first, err
	}
	second := simcloud.LoadBalancerSpec{Name: "a" + spec.Labels[label.ServiceUID] + againSuffix, Scheme: spec.Scheme, Network: spec.Network}
	_, err = t.Client.CreateLoadBalancer(ctx, second)
	return first, err
}

func (t twice) DeleteLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	all, err := simcloud.ListAll(ctx, t.ListLoadBalancers, simcloud.ListOptions{})
	if err != nil {
		return simcloud.Operation{}, err
	}
	for _, lb := range all {
		if !strings.HasSuffix(lb.Name, againSuffix) {
			continue
		}
		if op, err := t.Client.DeleteLoadBalancer(ctx, lb.ID); err != nil {
			return op, err
		}
	}
	return t.Client.DeleteLoadBalancer(ctx, id, opts...)
}
