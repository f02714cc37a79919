package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func targetsLeaked() Mutant {
	return Mutant{
		Name:     "targets-leaked",
		Title:    "targets are never removed",
		Scenario: "lb-provisioning",
		Caught:   "When a node leaves the cluster, its target must go",
		Also:     []string{"node-deletion"},
		open: func(p Provider) cloudprovider.Interface {
			return p.right(leaksTargets{p.API})
		},
	}
}

type leaksTargets struct{ ccm.CloudAPI }

func (leaksTargets) DeleteTarget(context.Context, simcloud.ID, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return simcloud.Result[simcloud.LoadBalancer]{}, nil
}
