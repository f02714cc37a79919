// Package route keeps the routes to the pods of Nodes.
package route

import (
	"context"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// API is what is called of the cloud for routes.
type API interface {
	ListRouteTables(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.RouteTable], error)
	GetRouteTable(ctx context.Context, id simcloud.ID) (simcloud.RouteTable, error)
	CreateRoute(ctx context.Context, table simcloud.ID, spec simcloud.RouteSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error)
	DeleteRoute(ctx context.Context, table, route simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error)
}

// instanceFinder finds the instance that a Node is. NotFound means that the cloud has none.
type instanceFinder interface {
	Find(ctx context.Context, node *v1.Node) (simcloud.Instance, error)
}

// nodeNamer returns what is known of a Node: its name at least.
type nodeNamer interface{ Get(name string) *v1.Node }

// Routes implements cloudprovider.Routes. Only routes with the label of the
// cluster are seen at all; the others of the table belong to other clients.
type Routes struct {
	api       API
	instances instanceFinder
	regions   *providerid.Regions
	network   simcloud.ID
	table     simcloud.ID // of the config; empty for the only one of the network
	hop       config.RouteNextHop
	nodes     nodeNamer

	mu       sync.Mutex
	resolved simcloud.ID // the table that was found
}

var _ cloudprovider.Routes = (*Routes)(nil)

// New returns what the pods' networks are routed by.
func New(api API, cfg config.Config, instances instanceFinder, nodes nodeNamer, regions *providerid.Regions) *Routes {
	return &Routes{api: api, instances: instances, regions: regions, network: cfg.Network, table: cfg.RouteTable, hop: cfg.RouteNextHop, nodes: nodes}
}

// ListRoutes lists the cluster's routes, by one call.
func (r *Routes) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	table, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	found := []*cloudprovider.Route{}
	for _, route := range table.Routes {
		if route.Labels[label.Cluster] == cluster {
			found = append(found, r.describe(ctx, route))
		}
	}
	return found, nil
}

// CreateRoute makes the route to a node's pods, unless it exists
// already. A route of this cluster that has the destination and leads elsewhere gives way.
func (r *Routes) CreateRoute(ctx context.Context, cluster, _ string, route *cloudprovider.Route) error {
	hop, err := r.nextHop(ctx, route)
	if err != nil {
		return fmt.Errorf("route %s: %w", route.DestinationCIDR, err)
	}
	spec := simcloud.RouteSpec{
		Name:        string(route.TargetNode),
		Destination: route.DestinationCIDR,
		NextHop:     hop,
		Labels:      map[string]string{label.Cluster: cluster, label.Node: string(route.TargetNode)},
	}
	table, err := r.tableID(ctx)
	if err != nil {
		return err
	}
	_, err = r.api.CreateRoute(ctx, table, spec)
	if errors.Is(err, simcloud.AlreadyExists) {
		err = r.takeOver(ctx, table, spec)
	}
	if err != nil {
		err = fmt.Errorf("create route %s to %s in route table %s: %w", spec.Destination, route.TargetNode, table, err)
		return call.RetryRoute(err)
	}
	return nil
}

// takeOver makes the route whose destination is taken.
func (r *Routes) takeOver(ctx context.Context, table simcloud.ID, spec simcloud.RouteSpec) error {
	have, err := r.api.GetRouteTable(ctx, table)
	if err != nil {
		return err
	}
	for _, route := range have.Routes {
		switch {
		case route.Destination != spec.Destination:
			continue
		case route.Labels[label.Cluster] != spec.Labels[label.Cluster]:
			return simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindRouteTable, table),
				"route %s has this destination and is not of cluster %s: remove it", route.ID, spec.Labels[label.Cluster])
		case route.NextHop == spec.NextHop && route.State == simcloud.RouteActive && label.Has(route.Labels, spec.Labels):
			return nil
		}
		if _, err := r.api.DeleteRoute(ctx, table, route.ID); call.IgnoreGone(err) != nil {
			return fmt.Errorf("remove route %s, which leads elsewhere: %w", route.ID, err)
		}
	}
	_, err = r.api.CreateRoute(ctx, table, spec)
	return err
}

// DeleteRoute removes a route that ListRoutes has returned.
func (r *Routes) DeleteRoute(ctx context.Context, _ string, route *cloudprovider.Route) error {
	table, err := r.tableID(ctx)
	if err != nil {
		return err
	}
	if _, err := r.api.DeleteRoute(ctx, table, simcloud.ID(route.Name)); call.IgnoreGone(err) != nil {
		return fmt.Errorf("delete route %s (%s) of route table %s: %w", route.Name, route.DestinationCIDR, table, err)
	}
	return nil
}
