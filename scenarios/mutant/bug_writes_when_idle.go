package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func writesWhenIdle() Mutant {
	return Mutant{
		Name:     "writes-when-idle",
		Title:    "each look at the routes writes the route table",
		Scenario: "route-creation",
		Caught:   "when nothing changes a CCM must not write",
		Also:     []string{"node-taint-removal", "p08-idle"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return touching{right, p.API}
			}}
		},
	}
}

type touching struct {
	cloudprovider.Routes
	api *client.Client
}

func (r touching) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	tables, err := simcloud.ListAll(ctx, r.api.ListRouteTables, simcloud.ListOptions{})
	for _, table := range tables {
		if err == nil {
			_, err = r.api.UpdateRouteTable(ctx, table.ID, simcloud.RouteTableUpdate{Name: &table.Name})
		}
	}
	if err != nil {
		return nil, err
	}
	return r.Routes.ListRoutes(ctx, cluster)
}
