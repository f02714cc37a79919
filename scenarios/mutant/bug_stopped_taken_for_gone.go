package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func stoppedTakenForGone() Mutant {
	return Mutant{
		Name:     "stopped-taken-for-gone",
		Title:    "a VM that is stopped is taken for gone",
		Scenario: "node-deletion",
		Caught:   "A stopped VM exists: the Node stays",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return stoppedIsGone{right}
			}}
		},
	}
}

type stoppedIsGone struct{ cloudprovider.InstancesV2 }

func (s stoppedIsGone) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	if stopped, err := s.InstanceShutdown(ctx, node); err != nil || stopped {
		return false, nil
	}
	return s.InstancesV2.InstanceExists(ctx, node)
}
