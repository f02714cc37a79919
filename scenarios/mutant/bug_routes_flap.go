package mutant

import (
	"context"
	"errors"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func routesFlap() Mutant {
	return Mutant{
		Name:     "routes-flap",
		Row:      "43",
		Title:    "a route whose creation did not end well is taken back, though it is there",
		Issues:   []string{"kubernetes#52398", "openstack#2491", "gcp#482"},
		Fault:    "the cloud makes every route and answers 409",
		Expected: "find the route and keep it",
		Scenario: "routes-flap",
		Caught:   "A route that is there must stay there",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return takesBack{right, p}
			}}
		},
	}
}

// takesBack makes a route whole or not at all, and believes what it is told.
type takesBack struct {
	cloudprovider.Routes
	p Provider
}

func (t takesBack) CreateRoute(ctx context.Context, cluster, hint string, route *cloudprovider.Route) error {
	err := t.Routes.CreateRoute(ctx, cluster, hint, route)
	if err == nil {
		return nil
	}
	tables, listed := simcloud.ListAll(ctx, t.p.API.ListRouteTables, simcloud.ListOptions{})
	err = errors.Join(err, listed)
	for _, table := range tables {
		for _, made := range table.Routes {
			if made.Destination == route.DestinationCIDR {
				_, undone := t.p.API.DeleteRoute(ctx, table.ID, made.ID)
				err = errors.Join(err, undone)
			}
		}
	}
	return err
}
