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
func (m mutations) CreateRouteTable(
	ctx context.Context, spec simcloud.RouteTableSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.RouteTable], error) {
	req := request{verb: "CreateRouteTable", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (routeTableResult, error) {
		network, err := t.networkFor(simcloud.KindRouteTable, spec.Network)
		if err != nil {
			return routeTableResult{}, err
		}
		table := simcloud.RouteTable{
			Network: network.ID, Limit: t.routeLimit(spec.Limit), Routes: []simcloud.Route{},
		}
		if table.Meta, err = newMeta(t, store.RouteTables, spec.Name, spec.Labels); err != nil {
			return routeTableResult{}, err
		}
		return insert(t, store.RouteTables, table)
	})
}

// UpdateRouteTable changes what a route table has apart from its routes.
func (m mutations) UpdateRouteTable(
	ctx context.Context, id simcloud.ID, update simcloud.RouteTableUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.RouteTable], error) {
	req := request{verb: "UpdateRouteTable", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return m.changeRouteTable(ctx, req, func(t *txn, table *simcloud.RouteTable) error {
		if err := rename(t, store.RouteTables, &table.Meta, update.Name, update.Labels); err != nil {
			return err
		}
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
func (m mutations) changeRouteTable(
	ctx context.Context, req request, edit func(*txn, *simcloud.RouteTable) error,
) (routeTableResult, error) {
	return mutate(ctx, m, req, func(t *txn) (routeTableResult, error) {
		before, err := getForUpdate(t, store.RouteTables, req.ids[0])
		if err != nil {
			return routeTableResult{}, err
		}
		after := before
		after.Routes = append([]simcloud.Route{}, before.Routes...)
		if err := edit(t, &after); err != nil {
			return routeTableResult{}, err
		}
		if len(after.Routes) != len(before.Routes) {
			return t.reroute(after)
		}
		return replace(t, store.RouteTables, before, after)
	})
}

// routeTableReady is the effect of an operation on a route table: that none runs any more.
const routeTableReady = "available"

// reroute keeps a table with other routes. While the operation runs the table is locked.
func (t *txn) reroute(table simcloud.RouteTable) (routeTableResult, error) {
	op, err := t.start(simcloud.KindRouteTable, table.ID, true)
	if err != nil {
		return routeTableResult{}, err
	}
	var effects []store.Effect
	if running(op) {
		table.Operation = op.ID
		effects = []store.Effect{{Ref: refOf(op), State: routeTableReady}}
	}
	if err := store.RouteTables.Update(t.tx, t.now, &table); err != nil {
		return routeTableResult{}, err
	}
	return routeTableResult{Resource: table, Operation: op}, t.record(&op, effects...)
}

// applyRouteTable ends an operation on a route table, whose routes are those of
// before when it has failed.
func (t *txn) applyRouteTable(effect store.Effect) error {
	table, err := store.RouteTables.Get(t.tx, effect.ID)
	if err != nil {
		return err
	}
	table.Operation = ""
	if effect.RouteTable != nil {
		table.Routes = effect.RouteTable.Routes
	}
	for i, route := range table.Routes {
		if hop := route.NextHop.Instance; hop != "" && !store.Instances.Has(t.tx, hop) {
			table.Routes[i].State = simcloud.RouteBlackhole
		}
	}
	return store.RouteTables.Update(t.tx, t.now, &table)
}

// DeleteRouteTable removes an empty route table.
func (m mutations) DeleteRouteTable(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteRouteTable", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		table, err := getForUpdate(t, store.RouteTables, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		if len(table.Routes) > 0 {
			return simcloud.Operation{}, simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindRouteTable, id),
				"it has %d routes: delete them first", len(table.Routes))
		}
		return removeUnused(t, store.RouteTables, id)
	})
}
