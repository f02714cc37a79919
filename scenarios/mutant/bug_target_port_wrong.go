package mutant

import (
	"context"
	"slices"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func targetPortWrong() Mutant {
	return Mutant{
		Name:     "target-port-wrong",
		Title:    "listeners lead to the port of the Service on the nodes, where nothing listens",
		Scenario: "lb-provisioning",
		Caught:   "lead to their node ports",
		open: func(p Provider) cloudprovider.Interface {
			return p.right(ownPorts{p.API})
		},
	}
}

type ownPorts struct{ ccm.CloudAPI }

func (o ownPorts) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	spec.Listeners = slices.Clone(spec.Listeners)
	for i := range spec.Listeners {
		spec.Listeners[i].TargetPort = spec.Listeners[i].Port
	}
	return o.CloudAPI.CreateLoadBalancer(ctx, spec, opts...)
}

func (ownPorts) UpdateListener(context.Context, simcloud.ID, simcloud.ID, simcloud.ListenerConfig, ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return simcloud.Result[simcloud.LoadBalancer]{}, nil
}
