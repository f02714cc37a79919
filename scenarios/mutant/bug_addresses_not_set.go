package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func addressesNotSet() Mutant {
	return Mutant{
		Name:     "addresses-not-set",
		Title:    "Nodes get no addresses",
		Scenario: "node-taint-removal",
		Caught:   "A CCM must set the addresses of each node",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return withoutAddresses{right}
			}}
		},
	}
}

type withoutAddresses struct{ cloudprovider.InstancesV2 }

func (w withoutAddresses) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	right, err := w.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	found := *right
	found.NodeAddresses = nil
	return &found, nil
}
