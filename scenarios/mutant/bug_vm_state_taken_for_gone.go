package mutant

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func vmStateTakenForGone() Mutant {
	return Mutant{
		Name:     "vm-state-taken-for-gone",
		Row:      "11",
		Title:    "a VM in a state that is not on the list of good ones is taken for gone",
		Issues:   []string{"kubernetes#45118", "oci#127", "vultr instancesv2.go:58"},
		Fault:    "VMs are suspended, rebuilding and terminating while their Nodes are not ready",
		Expected: "keep their Nodes: only what the cloud does not have any more is gone",
		Scenario: "vm-state-taken-for-gone",
		Caught:   "A VM that is suspended or on its way exists",
		Also:     []string{"l10-unusual-states"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return goodStates{right, p.API}
			}}
		},
	}
}

// goodStates knows three states of a VM; there were no more when it was written.
type goodStates struct {
	cloudprovider.InstancesV2
	api ccm.CloudAPI
}

func (g goodStates) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	exists, err := g.InstancesV2.InstanceExists(ctx, node)
	id, foreign := providerid.Parse(node.Spec.ProviderID)
	if err != nil || !exists || foreign != nil {
		return exists, err
	}
	vm, err := g.api.GetInstance(ctx, id.Instance)
	if err != nil {
		return false, err
	}
	good := []simcloud.InstanceState{simcloud.InstancePending, simcloud.InstanceRunning, simcloud.InstanceStopped}
	return slices.Contains(good, vm.State), nil
}
