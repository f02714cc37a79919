package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type routeTableResult = simcloud.Result[simcloud.RouteTable]

// ListRouteTables lists route tables.
func (c *Cloud) ListRouteTables(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.RouteTable], error) {
	return list(ctx, c, store.RouteTables, opts, ofProject, noStates)
}

// GetRouteTable returns one route table.
func (c *Cloud) GetRouteTable(ctx context.Context, id simcloud.ID) (simcloud.RouteTable, error) {
	return get(ctx, c, store.RouteTables, id)
}

// CreateRouteTable makes an empty route table.
func (c *Cloud) CreateRouteTable(
	ctx context.Context, spec simcloud.RouteTableSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.RouteTable], error) {
	call := call{verb: "CreateRouteTable", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (routeTableResult, error) {
		network, err := w.networkFor(simcloud.KindRouteTable, spec.Network)
		if err != nil {
			return routeTableResult{}, err
		}
		table := simcloud.RouteTable{
			Network: network.ID, Limit: orDefault(spec.Limit, simcloud.DefaultRouteLimit), Routes: []simcloud.Route{},
		}
		if table.Meta, err = create(w, store.RouteTables, spec.Name, spec.Labels); err != nil {
			return routeTableResult{}, err
		}
		return insert(w, store.RouteTables, table)
	})
}

// UpdateRouteTable changes what a route table has apart from its routes.
func (c *Cloud) UpdateRouteTable(
	ctx context.Context, id simcloud.ID, update simcloud.RouteTableUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.RouteTable], error) {
	call := call{verb: "UpdateRouteTable", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return c.changeRouteTable(ctx, call, func(_ *work, table *simcloud.RouteTable) error {
		rename(&table.Meta, update.Name, update.Labels)
		if update.Limit == nil {
			return nil
		}
		if *update.Limit < len(table.Routes) {
			return invalid(string(simcloud.KindRouteTable), "limit", "%d is below the %d routes of the table", *update.Limit, len(table.Routes))
		}
		table.Limit = *update.Limit
		return nil
	})
}

// changeRouteTable is the frame of all mutations of a route table that is
// there: edit decides what it becomes. The first id of the call is the table's.
func (c *Cloud) changeRouteTable(
	ctx context.Context, call call, edit func(*work, *simcloud.RouteTable) error,
) (routeTableResult, error) {
	return mutate(ctx, c, call, func(w *work) (routeTableResult, error) {
		before, err := take(w, store.RouteTables, call.ids[0])
		if err != nil {
			return routeTableResult{}, err
		}
		after := before
		after.Routes = append([]simcloud.Route{}, before.Routes...)
		if err := edit(w, &after); err != nil {
			return routeTableResult{}, err
		}
		return replace(w, store.RouteTables, before, after)
	})
}

// DeleteRouteTable removes an empty route table.
func (c *Cloud) DeleteRouteTable(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteRouteTable", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (simcloud.Operation, error) {
		table, err := take(w, store.RouteTables, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		if len(table.Routes) > 0 {
			return simcloud.Operation{}, simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindRouteTable, id),
				"it has %d routes: delete them first", len(table.Routes))
		}
		return removeUnused(w, store.RouteTables, id)
	})
}
