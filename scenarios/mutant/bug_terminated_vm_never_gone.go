package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func terminatedVMNeverGone() Mutant {
	return Mutant{
		Name:     "terminated-vm-never-gone",
		Row:      "11",
		Title:    "InstanceExists answers InstanceNotFound as an error, which the controller takes for \"not known\"",
		Issues:   []string{"kubernetes#79435", "oci#127"},
		Fault:    "a VM is terminated, and its Node is not ready",
		Expected: "delete the Node when the cloud does not have the VM any more",
		Scenario: "vm-state-taken-for-gone",
		Caught:   "When the VM is really gone, a CCM must delete its node",
		Also:     []string{"node-deletion", "node-deletion-forbidden", "lb-provisioning", "route-creation", "l01-vm-deleted", "uninitialized-node-kept-forever"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return goneIsError{right}
			}}
		},
	}
}

// goneIsError answers as the interface before InstancesV2 wanted it.
type goneIsError struct{ cloudprovider.InstancesV2 }

func (g goneIsError) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	exists, err := g.InstancesV2.InstanceExists(ctx, node)
	if err == nil && !exists {
		return false, cloudprovider.InstanceNotFound
	}
	return exists, err
}
