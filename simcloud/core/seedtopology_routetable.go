package core

import (
	"maps"
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) routeTables() seedPart {
	p := &kindPart[simcloud.RouteTable, *simcloud.RouteTable, simcloud.TopologyRouteTable]{s: s, bucket: store.RouteTables}
	p.wanted, p.listed = entries(s.want.RouteTables, "routeTables", func(t simcloud.TopologyRouteTable) string { return t.Name })
	p.fits = func(have simcloud.RouteTable, want simcloud.TopologyRouteTable) bool {
		return leads(s, store.Networks, have.Network, want.Network)
	}
	p.delete = func(have simcloud.RouteTable) error {
		for _, route := range have.Routes {
			if _, err := s.do.DeleteRoute(s.ctx, have.ID, route.ID); err != nil {
				return err
			}
		}
		_, err := s.do.DeleteRouteTable(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.TopologyRouteTable) error {
		spec := want.RouteTableSpec
		var err error
		if spec.Network, err = named(s, store.Networks, "network", want.Network); err != nil {
			return err
		}
		made, err := s.do.CreateRouteTable(s.ctx, spec)
		if err != nil {
			return err
		}
		return s.updateRoutes(made.Resource, want)
	}
	p.update = s.updateRoutes
	return p
}

// updateRoutes takes routes away, then changes the table, and then adds routes: so its limit always holds.
func (s *seeding) updateRoutes(have simcloud.RouteTable, want simcloud.TopologyRouteTable) error {
	missing := map[string]simcloud.RouteSpec{}
	var order []string
	for i, route := range want.Routes {
		spec, err := s.routeSpec(seedPath("routes", i), route)
		if err != nil {
			return err
		}
		missing[spec.Destination] = spec
		order = append(order, spec.Destination)
	}
	for _, route := range have.Routes {
		if spec, wanted := missing[route.Destination]; wanted && sameRoute(route, spec) {
			delete(missing, route.Destination)
			continue
		}
		if _, err := s.do.DeleteRoute(s.ctx, have.ID, route.ID); err != nil {
			return err
		}
	}
	if err := s.updateTable(have, want); err != nil {
		return err
	}
	for i, destination := range order {
		spec, absent := missing[destination]
		if !absent {
			continue
		}
		if _, err := s.do.CreateRoute(s.ctx, have.ID, spec); err != nil {
			return inPart(seedPath("routes", i), err)
		}
	}
	return nil
}

func (s *seeding) updateTable(have simcloud.RouteTable, want simcloud.TopologyRouteTable) error {
	update := simcloud.RouteTableUpdate{Labels: newLabels(have.Labels, want.Labels)}
	if limit := s.routeLimit(want.Limit); limit != have.Limit {
		update.Limit = &limit
	}
	if update == (simcloud.RouteTableUpdate{}) {
		return nil
	}
	_, err := s.do.UpdateRouteTable(s.ctx, have.ID, update)
	return err
}

// routeSpec is a route with ids in the place of names, and in one spelling.
func (s *seeding) routeSpec(path string, want simcloud.RouteSpec) (simcloud.RouteSpec, error) {
	id, err := named(s, store.Instances, path+"nextHop.instance", want.NextHop.Instance)
	if err != nil {
		return want, err
	}
	want.NextHop.Instance = id
	if prefix, err := netip.ParsePrefix(want.Destination); err == nil {
		want.Destination = prefix.String()
	}
	if addr, err := netip.ParseAddr(want.NextHop.Address); err == nil {
		want.NextHop.Address = addr.String()
	}
	return want, nil
}

func sameRoute(have simcloud.Route, want simcloud.RouteSpec) bool {
	return have.Name == want.Name && have.NextHop == want.NextHop && maps.Equal(have.Labels, want.Labels)
}
