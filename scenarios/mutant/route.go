package mutant

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// routeMutants are those that make, list or delete routes wrongly.
var routeMutants = []Mutant{
	{
		Name:     "route-table-full",
		Row:      "38",
		Title:    "that the route table is full is logged, and nothing else",
		Issues:   []string{"kubernetes#40307", "kops#4918", "kops#246"},
		Fault:    "the route table has room for fewer routes than there are nodes",
		Expected: "NetworkUnavailable is True on the nodes without a route, and they get theirs when there is room",
		KilledBy: "route-table-full",
		Reason:   "A node that has no route must not be told to have a network",
		// It does not want to be asked for a route in every period that cannot be made in any.
		routes: func(r *routes) {
			r.create = func(ctx context.Context, cluster, hint string, route *cloudprovider.Route) error {
				err := r.right.CreateRoute(ctx, cluster, hint, route)
				if errors.Is(err, simcloud.Capacity) {
					klog.ErrorS(err, "The route table is full", "node", route.TargetNode)
					return nil
				}
				return err
			}
		},
	},
	{
		Name:     "stale-route-stops-all",
		Row:      "39",
		Title:    "a route whose VM is gone makes the list of all routes fail",
		Issues:   []string{"hcloud#225", "hcloud#107", "hcloud#165", "hcloud#238"},
		Fault:    "a VM is deleted and the route to it is left",
		Expected: "remove that route, and look after the others",
		KilledBy: "stale-route-stops-all",
		Reason:   "One route whose VM is gone says nothing of the others",
		// Wherever a VM goes, a route is left.
		AlsoKilledBy: []string{
			"dual-stack-address-lost", "health-check-port-ignored", "lb-provisioning", "node-deleted-before-vm-visible", "node-deletion",
			"node-deletion-forbidden", "node-ip-never-found", "node-taint-removal", "rate-limit-exhausted", "route-creation", "vm-state-taken-for-gone",
		},
		// It wants to know the VM behind each of the cluster's routes before it lists any.
		routes: func(r *routes) {
			r.beforeList(func(ctx context.Context, cluster string) error {
				return eachRoute(ctx, r.cloud, func(_ simcloud.ID, route simcloud.Route) error {
					if route.Labels[label.Cluster] != cluster || route.NextHop.Instance == "" {
						return nil
					}
					if _, err := r.cloud.GetInstance(ctx, route.NextHop.Instance); err != nil {
						return fmt.Errorf("list the routes: route %s: %w", route.Destination, err)
					}
					return nil
				})
			})
		},
	},
	{
		Name:         "foreign-routes-deleted",
		Row:          "41",
		Title:        "every route that leads to no known VM is removed, whoever has made it",
		Issues:       []string{"hcloud#425", "hcloud#432"},
		Fault:        "another client makes a route to an address",
		Expected:     "leave it as it is",
		KilledBy:     "foreign-routes-deleted",
		Reason:       "A CCM must leave the routes of others as they are",
		AlsoKilledBy: []string{"route-creation"},
		// It cleans the table up before it lists what is in it.
		routes: deleteRoutes(func(route simcloud.Route) bool { return route.NextHop.Instance == "" }),
	},
	{
		Name:     "same-address-in-another-network",
		Row:      "41",
		Title:    "VMs are known by their private addresses, in whatever network these are",
		Issues:   []string{"hcloud#470", "hcloud#472"},
		Fault:    "a VM in another network has the address of a node",
		Expected: "keep the route of the node, with no call",
		KilledBy: "same-address-in-another-network",
		Reason:   "An address names a VM in its own network alone",
		// It tells whose a route is by the private address that it leads to.
		routes: func(r *routes) {
			r.afterList(func(ctx context.Context, listed []*cloudprovider.Route) error {
				vms, err := simcloud.ListAll(ctx, r.cloud.ListInstances, simcloud.ListOptions{})
				addresses, names := map[string]string{}, map[string]string{}
				for _, vm := range vms {
					for _, a := range vm.Addresses {
						if a.Scope == simcloud.ScopePrivate {
							addresses[vm.Hostname], names[a.Address] = a.Address, vm.Hostname
						}
					}
				}
				for _, route := range listed {
					if name, known := names[addresses[string(route.TargetNode)]]; known {
						route.TargetNode = types.NodeName(name)
					}
				}
				return err
			})
		},
	},
	{
		Name:     "routes-flap",
		Row:      "43",
		Title:    "a route whose creation did not end well is taken back, though it is there",
		Issues:   []string{"kubernetes#52398", "openstack#2491", "gcp#482"},
		Fault:    "the cloud makes every route and answers 409",
		Expected: "find the route and keep it",
		KilledBy: "routes-flap",
		Reason:   "A route that is there must stay there",
		// It makes a route whole or not at all, and believes what it is told.
		routes: func(r *routes) {
			r.create = func(ctx context.Context, cluster, hint string, route *cloudprovider.Route) error {
				err := r.right.CreateRoute(ctx, cluster, hint, route)
				if err == nil {
					return nil
				}
				undone := eachRoute(ctx, r.cloud, func(table simcloud.ID, made simcloud.Route) error {
					if made.Destination != route.DestinationCIDR {
						return nil
					}
					_, err := r.cloud.DeleteRoute(ctx, table, made.ID)
					return err
				})
				return errors.Join(err, undone)
			}
		},
	},
}

// eachRoute calls a function for each route of the cloud and its table, until one fails.
func eachRoute(ctx context.Context, cloud *client.Client, do func(table simcloud.ID, route simcloud.Route) error) error {
	tables, err := simcloud.ListAll(ctx, cloud.ListRouteTables, simcloud.ListOptions{})
	for _, table := range tables {
		for _, route := range table.Routes {
			if err := do(table.ID, route); err != nil {
				return err
			}
		}
	}
	return err
}

// deleteRoutes deletes some routes of the cloud before each time that they are listed.
func deleteRoutes(which func(simcloud.Route) bool) func(*routes) {
	return func(r *routes) {
		r.beforeList(func(ctx context.Context, _ string) error {
			return eachRoute(ctx, r.cloud, func(table simcloud.ID, route simcloud.Route) error {
				if !which(route) {
					return nil
				}
				_, err := r.cloud.DeleteRoute(ctx, table, route.ID)
				return err
			})
		})
	}
}
