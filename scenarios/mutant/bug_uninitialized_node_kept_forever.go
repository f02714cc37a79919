package mutant

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func uninitializedNodeKeptForever() Mutant {
	return Mutant{
		Name:     "uninitialized-node-kept-forever",
		Row:      "9",
		Title:    "a VM that is not found by its name is an error, and never \"gone\"",
		Issues:   []string{"openstack#3114", "openstack#3224", "kubernetes#141364", "exoscale#25"},
		Fault:    "the VM is deleted before its Node was initialised",
		Expected: "delete the Node in the end",
		Scenario: "uninitialized-node-kept-forever",
		Caught:   "a CCM must delete it in the end",
		Also:     []string{"l08-never-initialised", "l14-unseen-for-long"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return unnamedIsError{right}
			}}
		},
	}
}

// unnamedIsError has one error for a name that is not found and another for an
// id, and knows the second alone.
type unnamedIsError struct{ cloudprovider.InstancesV2 }

var errNoSuchName = errors.New("failed to find object")

func (u unnamedIsError) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	exists, err := u.InstancesV2.InstanceExists(ctx, node)
	if err == nil && !exists && node.Spec.ProviderID == "" {
		return false, fmt.Errorf("get the instance %s by its name: %w", node.Name, errNoSuchName)
	}
	return exists, err
}
