package mutant

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func nodeDeletedBeforeProviderID() Mutant {
	return Mutant{
		Name:     "node-deleted-before-provider-id",
		Row:      "8",
		Title:    "a Node without a provider id is deleted when no VM of its name is found",
		Issues:   []string{"kubernetes#63226"},
		Fault:    "lists do not show a VM that is there, and its Node is not ready and has no provider id yet",
		Expected: "keep the new Node, and initialise it when the list is whole",
		Scenario: "node-deleted-before-provider-id",
		Caught:   "a name that is not found proves nothing of a new node",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return namelessIsGone{right}
			}}
		},
	}
}

// namelessIsGone trusts a search by name as much as an id.
type namelessIsGone struct{ cloudprovider.InstancesV2 }

func (n namelessIsGone) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	if node.Spec.ProviderID != "" {
		return n.InstancesV2.InstanceExists(ctx, node)
	}
	_, err := n.InstanceMetadata(ctx, node)
	if errors.Is(err, cloudprovider.InstanceNotFound) {
		return false, nil
	}
	return err == nil, err
}
