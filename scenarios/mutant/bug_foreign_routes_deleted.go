package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func foreignRoutesDeleted() Mutant {
	return Mutant{
		Name:     "foreign-routes-deleted",
		Row:      "41",
		Title:    "every route that leads to no known VM is removed, whoever has made it",
		Issues:   []string{"hcloud#425", "hcloud#432"},
		Fault:    "somebody makes a route to an address",
		Expected: "leave it as it is",
		Scenario: "foreign-routes-deleted",
		Caught:   "A CCM must leave the routes of others as they are",
		Also:     []string{"route-creation"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return tidiesRoutes{right, p}
			}}
		},
	}
}

// tidiesRoutes cleans the table up before it lists what is in it.
type tidiesRoutes struct {
	cloudprovider.Routes
	p Provider
}

func (t tidiesRoutes) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	tables, err := simcloud.ListAll(ctx, t.p.API.ListRouteTables, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		for _, route := range table.Routes {
			if route.NextHop.Instance != "" {
				continue
			}
			if _, err := t.p.API.DeleteRoute(ctx, table.ID, route.ID); err != nil {
				return nil, err
			}
		}
	}
	return t.Routes.ListRoutes(ctx, cluster)
}
