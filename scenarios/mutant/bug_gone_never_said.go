package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func goneNeverSaid() Mutant {
	return Mutant{
		Name:     "gone-never-said",
		Title:    "each VM exists for ever",
		Scenario: "node-deletion",
		Caught:   "a CCM must delete the Node",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return allExist{right}
			}}
		},
	}
}

type allExist struct{ cloudprovider.InstancesV2 }

func (allExist) InstanceExists(context.Context, *corev1.Node) (bool, error) { return true, nil }
