package ccm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// routeAPI is what is called of the cloud for routes.
type routeAPI interface {
	ListRouteTables(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.RouteTable], error)
	GetRouteTable(ctx context.Context, id simcloud.ID) (simcloud.RouteTable, error)
	CreateRoute(ctx context.Context, table simcloud.ID, spec simcloud.RouteSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error)
	DeleteRoute(ctx context.Context, table, route simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error)
}

// instanceFinder finds the instance that a Node is. NotFound means that the cloud has none.
type instanceFinder interface {
	find(ctx context.Context, node *v1.Node) (simcloud.Instance, error)
}

// nodeNamer returns what is known of a Node: its name at least.
type nodeNamer interface{ get(name string) *v1.Node }

// routes implements cloudprovider.Routes. Only routes with the label of the
// cluster are seen at all; the others of the table are somebody else's.
type routes struct {
	api       routeAPI
	instances instanceFinder
	regions   *regions
	network   simcloud.ID
	table     simcloud.ID // of the config; empty for the only one of the network
	hop       RouteNextHop
	nodes     nodeNamer

	mu       sync.Mutex
	resolved simcloud.ID // the table that was found
}

var _ cloudprovider.Routes = (*routes)(nil)

// newRoutes returns what the pods' networks are routed by.
func newRoutes(api routeAPI, cfg Config, instances instanceFinder, nodes nodeNamer, regions *regions) *routes {
	return &routes{api: api, instances: instances, regions: regions, network: cfg.Network, table: cfg.RouteTable, hop: cfg.RouteNextHop, nodes: nodes}
}

// ListRoutes lists the cluster's routes, by one call.
func (r *routes) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	table, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	found := []*cloudprovider.Route{}
	for _, route := range table.Routes {
		if route.Labels[LabelCluster] == cluster {
			found = append(found, r.describe(ctx, route))
		}
	}
	return found, nil
}

// CreateRoute makes the route to a node's pods, and is content with one that is
// there. A route of this cluster that has the destination and leads elsewhere gives way.
func (r *routes) CreateRoute(ctx context.Context, cluster, _ string, route *cloudprovider.Route) error {
	hop, err := r.nextHop(ctx, route)
	if err != nil {
		return fmt.Errorf("route %s: %w", route.DestinationCIDR, err)
	}
	spec := simcloud.RouteSpec{
		Name:        string(route.TargetNode),
		Destination: route.DestinationCIDR,
		NextHop:     hop,
		Labels:      map[string]string{LabelCluster: cluster, LabelNode: string(route.TargetNode)},
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
		return retryRoute(err)
	}
	return nil
}

// takeOver makes the route whose destination is taken.
func (r *routes) takeOver(ctx context.Context, table simcloud.ID, spec simcloud.RouteSpec) error {
	have, err := r.api.GetRouteTable(ctx, table)
	if err != nil {
		return err
	}
	for _, route := range have.Routes {
		switch {
		case route.Destination != spec.Destination:
			continue
		case route.Labels[LabelCluster] != spec.Labels[LabelCluster]:
			return simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindRouteTable, table),
				"route %s has this destination and is not of cluster %s: remove it", route.ID, spec.Labels[LabelCluster])
		case route.NextHop == spec.NextHop && route.State == simcloud.RouteActive && hasLabels(route.Labels, spec.Labels):
			return nil
		}
		if _, err := r.api.DeleteRoute(ctx, table, route.ID); ignoreGone(err) != nil {
			return fmt.Errorf("remove route %s, which leads elsewhere: %w", route.ID, err)
		}
	}
	_, err = r.api.CreateRoute(ctx, table, spec)
	return err
}

// DeleteRoute removes a route that ListRoutes has returned.
func (r *routes) DeleteRoute(ctx context.Context, _ string, route *cloudprovider.Route) error {
	table, err := r.tableID(ctx)
	if err != nil {
		return err
	}
	if _, err := r.api.DeleteRoute(ctx, table, simcloud.ID(route.Name)); ignoreGone(err) != nil {
		return fmt.Errorf("delete route %s (%s) of route table %s: %w", route.Name, route.DestinationCIDR, table, err)
	}
	return nil
}
