package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func shutdownNeverSaid() Mutant {
	return Mutant{
		Name:     "shutdown-never-said",
		Title:    "no VM is ever shut down",
		Scenario: "node-deletion",
		Caught:   "node.cloudprovider.kubernetes.io/shutdown",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return allRun{right}
			}}
		},
	}
}

type allRun struct{ cloudprovider.InstancesV2 }

func (allRun) InstanceShutdown(context.Context, *corev1.Node) (bool, error) { return false, nil }
