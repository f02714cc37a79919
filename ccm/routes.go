package ccm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type routeAPI interface {
	ListRouteTables(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.RouteTable], error)
	GetRouteTable(ctx context.Context, id simcloud.ID) (simcloud.RouteTable, error)
	CreateRoute(ctx context.Context, table simcloud.ID, spec simcloud.RouteSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error)
	DeleteRoute(ctx context.Context, table, route simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error)
}

// routes implements cloudprovider.Routes. Only routes with the label of the
// cluster are seen at all; the others of the table are somebody else's.
type routes struct {
	api       routeAPI
	instances *instances
	regions   *regions
	network   simcloud.ID
	table     simcloud.ID // of the config; empty for the only one of the network
	nodes     corelisters.NodeLister

	mu       sync.Mutex
	resolved simcloud.ID // the table that was found
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

// describe tells the controller of a route. One that leads nowhere, or to an
// instance that is no longer the Node's, is nobody's: the controller removes
// it, and makes the Node's anew.
func (r *routes) describe(ctx context.Context, route simcloud.Route) *cloudprovider.Route {
	described := &cloudprovider.Route{
		Name:            string(route.ID),
		DestinationCIDR: route.Destination,
		Blackhole:       route.State == simcloud.RouteBlackhole,
	}
	name := route.Labels[LabelNode]
	if !described.Blackhole && r.leadsTo(ctx, route.NextHop.Instance, name) {
		described.TargetNode = types.NodeName(name)
	}
	return described
}

// leadsTo reports whether the instance is the node's, as far as is known.
func (r *routes) leadsTo(ctx context.Context, instance simcloud.ID, name string) bool {
	node := r.node(name)
	if node.Spec.ProviderID == "" {
		return true
	}
	id, err := r.regions.parse(ctx, node.Spec.ProviderID)
	if err != nil {
		return !errors.Is(err, errForeign)
	}
	return id.Instance == instance
}

// node returns what is known of a node: its name at least.
func (r *routes) node(name string) *v1.Node {
	if r.nodes != nil {
		if node, err := r.nodes.Get(name); err == nil {
			return node
		}
	}
	node := &v1.Node{}
	node.Name = name
	return node
}

// CreateRoute makes the route to a node's pods, and is content with one that is
// there. A route of this cluster that has the destination and leads elsewhere gives way.
func (r *routes) CreateRoute(ctx context.Context, cluster, _ string, route *cloudprovider.Route) error {
	inst, err := r.instances.find(ctx, r.node(string(route.TargetNode)))
	if err != nil {
		return fmt.Errorf("route %s: %w", route.DestinationCIDR, err)
	}
	spec := simcloud.RouteSpec{
		Name:        string(route.TargetNode),
		Destination: route.DestinationCIDR,
		NextHop:     simcloud.NextHop{Instance: inst.ID},
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
		return fmt.Errorf("create route %s to %s in route table %s: %w", spec.Destination, inst.ID, table, err)
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
