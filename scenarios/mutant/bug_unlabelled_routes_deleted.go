package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func unlabelledRoutesDeleted() Mutant {
	return Mutant{
		Name:     "unlabelled-routes-deleted",
		Title:    "routes that carry no label are cleaned up",
		Scenario: "route-creation",
		Caught:   "the routes of others must stay",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return tidyRoutes{right, p.API}
			}}
		},
	}
}

type tidyRoutes struct {
	cloudprovider.Routes
	api ccm.CloudAPI
}

func (r tidyRoutes) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	tables, err := simcloud.ListAll(ctx, r.api.ListRouteTables, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		if err := r.tidy(ctx, table); err != nil {
			return nil, err
		}
	}
	return r.Routes.ListRoutes(ctx, cluster)
}

func (r tidyRoutes) tidy(ctx context.Context, table simcloud.RouteTable) error {
	for _, route := range table.Routes {
		if len(route.Labels) > 0 {
			continue
		}
		if _, err := r.api.DeleteRoute(ctx, table.ID, route.ID); err != nil {
			return err
		}
	}
	return nil
}
