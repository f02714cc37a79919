package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func routesNotMade() Mutant {
	return Mutant{
		Name:     "routes-not-made",
		Title:    "no route can be made",
		Scenario: "route-creation",
		Caught:   "A CCM must make a route for the pod range of each node",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return noRoutes{right}
			}}
		},
	}
}

type noRoutes struct{ cloudprovider.Routes }

func (noRoutes) CreateRoute(context.Context, string, string, *cloudprovider.Route) error {
	return simcloud.Errorf(simcloud.Capacity, string(simcloud.KindRouteTable), "this provider makes no routes")
}
