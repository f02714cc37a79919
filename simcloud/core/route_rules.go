package core

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// routeLimit is how many routes a table takes whose spec has a limit, or 0.
func (t *txn) routeLimit(limit int) int {
	return cmp.Or(limit, t.cloud.config.Load().MaxRoutes, simcloud.DefaultRouteLimit)
}

// keepsRules reports which rule of the cloud a new route breaks.
func (t *txn) keepsRules(table simcloud.RouteTable, route simcloud.Route) error {
	for _, rule := range t.cloud.config.Load().RouteRules {
		var err error
		switch rule {
		case simcloud.RouteNoOverlap:
			err = t.overlapsNothing(table, route.Destination)
		case simcloud.RouteGatewayInNetwork:
			err = t.leadsInto(table.Network, route.NextHop)
		case simcloud.RoutePrivateDestination:
			err = privateOrDefault(route.Destination)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// overlapsNothing answers AlreadyExists when a destination overlaps another, or a subnet.
func (t *txn) overlapsNothing(table simcloud.RouteTable, destination string) error {
	for _, r := range table.Routes {
		if bothOverlap(r.Destination, destination) {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindRouteTable, table.ID),
				"the destination %s overlaps that of route %s (%s)", destination, r.ID, r.Destination)
		}
	}
	subnets, err := store.Subnets.Referring(t.tx, store.Ref{Kind: simcloud.KindNetwork, ID: table.Network})
	if err != nil {
		return err
	}
	for _, subnet := range subnets {
		if bothOverlap(subnet.CIDR, destination) {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindRouteTable, table.ID),
				"the destination %s overlaps the subnet %s (%s)", destination, subnet.ID, subnet.CIDR)
		}
	}
	return nil
}

// clearOfRoutes answers Conflict when a new subnet overlaps a route and the rules forbid that.
func (t *txn) clearOfRoutes(network simcloud.ID, cidr string) error {
	if !slices.Contains(t.cloud.config.Load().RouteRules, simcloud.RouteNoOverlap) {
		return nil
	}
	tables, err := store.RouteTables.Referring(t.tx, store.Ref{Kind: simcloud.KindNetwork, ID: network})
	if err != nil {
		return err
	}
	for _, table := range tables {
		for _, r := range table.Routes {
			if bothOverlap(r.Destination, cidr) {
				return simcloud.Errorf(simcloud.Conflict, string(simcloud.KindSubnet),
					"%s overlaps route %s of %s (%s)", cidr, r.ID, table.ID, r.Destination)
			}
		}
	}
	return nil
}

// bothOverlap reports whether two ranges overlap, neither of which is everything.
func bothOverlap(a, b string) bool { return !isDefault(a) && !isDefault(b) && overlap(a, b) }

// isDefault reports whether a destination is that of a default route.
func isDefault(destination string) bool {
	prefix, err := netip.ParsePrefix(destination)
	return err == nil && prefix.Bits() == 0
}

// leadsInto reports why a next hop is not in a network.
func (t *txn) leadsInto(id simcloud.ID, hop simcloud.NextHop) error {
	network, err := store.Networks.Get(t.tx, id)
	if err != nil {
		return err
	}
	if hop.Instance != "" {
		instance, err := store.Instances.Get(t.tx, hop.Instance)
		if err == nil && !instance.AttachedTo(id) {
			err = invalid(string(simcloud.KindRouteTable), "nextHop.instance", "%s is in %v: must be in %s", hop.Instance, instance.Networks(), id)
		}
		return err
	}
	addr, err := netip.ParseAddr(hop.Address)
	if err != nil {
		return err
	}
	for _, cidr := range network.CIDRs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return err
		}
		if prefix.Contains(addr) && addr.Compare(prefix.Addr().Next()) > 0 {
			return nil
		}
	}
	return invalid(string(simcloud.KindRouteTable), "nextHop.address",
		"%s cannot be a gateway: must be an address of %s (%s), after the first of a range", addr, id, fmt.Sprint(network.CIDRs))
}

// privateOrDefault reports why a destination is neither private nor that of a default route.
func privateOrDefault(destination string) error {
	private := []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}
	if isDefault(destination) || within(private, destination) {
		return nil
	}
	return invalid(string(simcloud.KindRouteTable), "destination",
		"%s is not private: must be a part of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or fc00::/7, or 0.0.0.0/0 or ::/0", destination)
}
