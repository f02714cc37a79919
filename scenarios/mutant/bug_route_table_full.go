package mutant

import (
	"context"
	"errors"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func routeTableFull() Mutant {
	return Mutant{
		Name:     "route-table-full",
		Row:      "38",
		Title:    "that the route table is full is logged, and nothing else",
		Issues:   []string{"kubernetes#40307", "kops#4918", "kops#246"},
		Fault:    "the route table has room for fewer routes than there are nodes",
		Expected: "NetworkUnavailable is True on the nodes without a route, and they get theirs when there is room",
		Scenario: "route-table-full",
		Caught:   "A node that has no route must not be told to have a network",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return fullIsFine{right}
			}}
		},
	}
}

// fullIsFine does not want to be asked for a route in every period that cannot be made in any.
type fullIsFine struct{ cloudprovider.Routes }

func (f fullIsFine) CreateRoute(ctx context.Context, cluster, hint string, route *cloudprovider.Route) error {
	err := f.Routes.CreateRoute(ctx, cluster, hint, route)
	if errors.Is(err, simcloud.Capacity) {
		klog.ErrorS(err, "The route table is full", "node", route.TargetNode)
		return nil
	}
	return err
}
