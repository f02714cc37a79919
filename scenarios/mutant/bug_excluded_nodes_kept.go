package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func excludedNodesKept() Mutant {
	return Mutant{
		Name:     "excluded-nodes-kept",
		Title:    "a node that is excluded stays a target as long as it has a VM",
		Scenario: "lb-provisioning",
		Caught:   "A node with the label node.kubernetes.io/exclude-from-external-load-balancers must not be a target",
		open: func(p Provider) cloudprovider.Interface {
			return p.right(keepsLiving{p.API})
		},
	}
}

type keepsLiving struct{ ccm.CloudAPI }

func (k keepsLiving) DeleteTarget(ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if _, err := k.GetInstance(ctx, instance); err == nil {
		return simcloud.Result[simcloud.LoadBalancer]{}, nil
	}
	return k.CloudAPI.DeleteTarget(ctx, lb, instance, opts...)
}
