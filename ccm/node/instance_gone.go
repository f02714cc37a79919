package node

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
)

// gone returns nil when the cloud's word that it has no instance of a node may
// delete the Node, and else what speaks against it. The controllers ask nothing
// further: they delete at once, and by name.
func (i *Instances) gone(ctx context.Context, node *v1.Node) error {
	switch {
	case i.tooYoung(node):
		return fmt.Errorf("the instance of node %s was not found: the Node is kept for %s after its creation, because the instance may still appear", node.Name, i.grace)
	case !i.lookups.nodes.shows(node):
		return fmt.Errorf("node %q with the provider id %q has no instance and no longer exists: a Node of its name is another", node.Name, node.Spec.ProviderID)
	default:
		return i.owner.Confirm(ctx)
	}
}

// tooYoung reports whether the node was never initialised and is so new that
// the cloud may not show its instance yet. The controllers have no such grace.
func (i *Instances) tooYoung(node *v1.Node) bool {
	uninitialized := node.Spec.ProviderID == "" || slices.ContainsFunc(node.Spec.Taints, func(t v1.Taint) bool {
		return t.Key == cloudproviderapi.TaintExternalCloudProvider
	})
	return uninitialized && i.now().Sub(node.CreationTimestamp.Time) < i.grace
}
