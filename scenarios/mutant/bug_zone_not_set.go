package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func zoneNotSet() Mutant {
	return Mutant{
		Name:     "zone-not-set",
		Title:    "Nodes get no label of their zone",
		Scenario: "node-taint-removal",
		Caught:   "A CCM must label each node with the type, zone and region",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return withoutZone{right}
			}}
		},
	}
}

type withoutZone struct{ cloudprovider.InstancesV2 }

func (w withoutZone) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	right, err := w.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	found := *right
	found.Zone = ""
	return &found, nil
}
