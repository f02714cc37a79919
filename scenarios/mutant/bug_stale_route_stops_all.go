package mutant

import (
	"context"
	"fmt"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func staleRouteStopsAll() Mutant {
	return Mutant{
		Name:     "stale-route-stops-all",
		Row:      "39",
		Title:    "a route whose VM is gone makes the list of all routes fail",
		Issues:   []string{"hcloud#225", "hcloud#107", "hcloud#165", "hcloud#238"},
		Fault:    "a VM is deleted and the route to it is left",
		Expected: "remove that route, and look after the others",
		Scenario: "stale-route-stops-all",
		Caught:   "One route whose VM is gone says nothing of the others",
		// Wherever a VM goes, a route is left.
		Also: []string{
			"dual-stack-address-lost", "health-check-port-ignored", "lb-provisioning", "node-deleted-before-vm-visible", "node-deletion",
			"node-deletion-forbidden", "node-ip-never-found", "node-taint-removal", "rate-limit-exhausted", "route-creation", "vm-state-taken-for-gone",
		},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return looksUpHops{right, p}
			}}
		},
	}
}

// looksUpHops wants to know the VM behind each route before it lists any.
type looksUpHops struct {
	cloudprovider.Routes
	p Provider
}

func (l looksUpHops) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	routes, err := l.p.routesOf(ctx, cluster)
	if err != nil {
		return nil, err
	}
	for _, route := range routes {
		if route.NextHop.Instance == "" {
			continue
		}
		if _, err := l.p.API.GetInstance(ctx, route.NextHop.Instance); err != nil {
			return nil, fmt.Errorf("list the routes: route %s: %w", route.Destination, err)
		}
	}
	return l.Routes.ListRoutes(ctx, cluster)
}

// routesOf are the routes of the cloud that are the cluster's own.
func (p Provider) routesOf(ctx context.Context, cluster string) (own []simcloud.Route, err error) {
	tables, err := simcloud.ListAll(ctx, p.API.ListRouteTables, simcloud.ListOptions{})
	for _, table := range tables {
		for _, route := range table.Routes {
			if route.Labels[label.Cluster] == cluster {
				own = append(own, route)
			}
		}
	}
	return own, err
}
