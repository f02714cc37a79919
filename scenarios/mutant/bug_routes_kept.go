package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func routesKept() Mutant {
	return Mutant{
		Name:     "routes-kept",
		Title:    "routes are never removed",
		Scenario: "route-creation",
		Caught:   "When a node is gone, its route leads nowhere",
		Also:     []string{"node-deletion"},
		open: func(p Provider) cloudprovider.Interface {
			return p.right(keepsRoutes{p.API})
		},
	}
}

type keepsRoutes struct{ ccm.CloudAPI }

func (keepsRoutes) DeleteRoute(context.Context, simcloud.ID, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error) {
	return simcloud.Result[simcloud.RouteTable]{}, nil
}
