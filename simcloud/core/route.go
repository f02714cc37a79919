package core

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// CreateRoute adds a route to a table.
func (m mutations) CreateRoute(
	ctx context.Context, table simcloud.ID, spec simcloud.RouteSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.RouteTable], error) {
	req := request{verb: "CreateRoute", ids: []simcloud.ID{table}, spec: spec, opts: simcloud.Options(opts)}
	return m.changeRouteTable(ctx, req, func(t *txn, table *simcloud.RouteTable) error {
		route, err := t.newRoute(spec)
		if err != nil {
			return err
		}
		if err := fits(*table, route); err != nil {
			return err
		}
		if err := t.keepsRules(*table, route); err != nil {
			return err
		}
		n, err := store.RouteCounter.Next(t.tx)
		route.ID = simcloud.ID(fmt.Sprintf("r-%d", n))
		table.Routes = append(table.Routes, route)
		return err
	})
}

// fits reports why a table does not take a route.
func fits(table simcloud.RouteTable, route simcloud.Route) error {
	ref := simcloud.Ref(simcloud.KindRouteTable, table.ID)
	for _, r := range table.Routes {
		if r.Destination == route.Destination {
			return simcloud.Errorf(simcloud.AlreadyExists, ref, "the destination %s is that of route %s", r.Destination, r.ID)
		}
	}
	if len(table.Routes) >= table.Limit {
		return simcloud.Errorf(simcloud.Capacity, ref, "the table is full: it has %d routes", len(table.Routes))
	}
	return nil
}

// newRoute makes what a spec asks for, with destination and address in their one spelling.
func (t *txn) newRoute(spec simcloud.RouteSpec) (simcloud.Route, error) {
	route := simcloud.Route{
		Name: spec.Name, NextHop: spec.NextHop, State: simcloud.RouteActive, Labels: copyLabels(spec.Labels),
	}
	destination, err := netip.ParsePrefix(spec.Destination)
	if err != nil {
		return route, err
	}
	route.Destination = destination.String()
	if spec.NextHop.Address != "" {
		addr, err := netip.ParseAddr(spec.NextHop.Address)
		route.NextHop.Address = addr.String()
		return route, err
	}
	_, err = find(t.tx, store.Instances, t.caller.Project, spec.NextHop.Instance)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = invalid(string(simcloud.KindRouteTable), "nextHop.instance", "instance %q not found", spec.NextHop.Instance)
	}
	return route, err
}

// DeleteRoute removes a route.
func (m mutations) DeleteRoute(
	ctx context.Context, table, route simcloud.ID, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.RouteTable], error) {
	req := request{verb: "DeleteRoute", ids: []simcloud.ID{table, route}, opts: simcloud.Options(opts)}
	return m.changeRouteTable(ctx, req, func(_ *txn, table *simcloud.RouteTable) error {
		i := slices.IndexFunc(table.Routes, func(r simcloud.Route) bool { return r.ID == route })
		if i < 0 {
			return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindRouteTable, table.ID), "route %q not found", route)
		}
		table.Routes = slices.Delete(table.Routes, i, i+1)
		return nil
	})
}

// blackhole marks the routes that lead to an instance which goes.
func (t *txn) blackhole(instance store.Ref) error {
	tables, err := store.RouteTables.Referring(t.tx, instance)
	if err != nil {
		return err
	}
	for _, table := range tables {
		for i := range table.Routes {
			if table.Routes[i].NextHop.Instance == instance.ID {
				table.Routes[i].State = simcloud.RouteBlackhole
			}
		}
		if err := store.RouteTables.Update(t.tx, t.now, &table); err != nil {
			return err
		}
	}
	return nil
}
