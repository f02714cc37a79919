package mutant

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func nodeDeletedOnEmptyCache() Mutant {
	return Mutant{
		Name:     "node-deleted-on-empty-cache",
		Row:      "4",
		Title:    "a cache of VMs whose refresh is refused is empty, and says that no VM exists",
		Issues:   []string{"azure#2880"},
		Fault:    "the cloud answers 429 to every read of VMs while a Node is not ready",
		Expected: "keep the Node: too many calls say nothing of VMs",
		Scenario: "node-deleted-on-empty-cache",
		Caught:   "an answer 429 says nothing of VMs",
		Also:     []string{"node-deleted-before-vm-visible"}, // what is not in the cache gets no time
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return emptyCache{right, p.API}
			}}
		},
	}
}

// emptyCache knows the VMs by a list, and begins a new one before it has been read.
type emptyCache struct {
	cloudprovider.InstancesV2
	api ccm.CloudAPI
}

func (e emptyCache) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	id, err := providerid.Parse(node.Spec.ProviderID)
	if err != nil {
		return e.InstancesV2.InstanceExists(ctx, node)
	}
	cached, err := simcloud.ListAll(ctx, e.api.ListInstances, simcloud.ListOptions{})
	if err != nil && !errors.Is(err, simcloud.RateLimited) {
		return false, err
	}
	return slices.ContainsFunc(cached, func(vm simcloud.Instance) bool { return vm.ID == id.Instance }), nil
}
