package hcloud

import (
	"context"
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// maxRoutes is how many routes a network has at most.
const maxRoutes = 100

// tableName is the name of the route table that a network gets with its first route.
const tableName = "hcloud"

// hop is a route of a request, read.
type hop struct {
	destination netip.Prefix
	gateway     netip.Addr
}

// hop reads a route. It judges it by itself.
func (c call) hop() (hop, error) {
	body, err := decode[route](c)
	if err != nil {
		return hop{}, err
	}
	return hopOf(body)
}

func hopOf(body route) (h hop, err error) {
	if h.destination, err = netip.ParsePrefix(body.Destination); err != nil || h.destination != h.destination.Masked() {
		return h, wrong("destination", "%q is not a network such as 10.100.1.0/24", body.Destination)
	}
	if h.gateway, err = netip.ParseAddr(body.Gateway); err != nil {
		return h, wrong("gateway", "%q is not an IP address", body.Gateway)
	}
	return h, nil
}

func (c call) addRoute() (edge.Reply, error) {
	h, err := c.hop()
	if err != nil {
		return edge.Reply{}, err
	}
	var result simcloud.Result[simcloud.RouteTable]
	err = c.atomically(func(ctx context.Context) (err error) {
		result, err = c.addHop(ctx, c.id, h)
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply := c.acted(result.Operation, networkSubject(c.id))
	reply.Meta = &result.Resource.Meta
	return reply, nil
}

// addHop adds a route to a network.
func (c call) addHop(ctx context.Context, id simcloud.ID, h hop) (result simcloud.Result[simcloud.RouteTable], err error) {
	n, err := c.cloud.GetNetwork(ctx, id)
	if err != nil {
		return result, err
	}
	w, err := c.wiring(ctx)
	if err != nil {
		return result, err
	}
	if err := w.fits(n, h); err != nil {
		return result, err
	}
	table, err := c.table(ctx, w, n)
	if err != nil {
		return result, err
	}
	return c.cloud.CreateRoute(ctx, table, simcloud.RouteSpec{
		Destination: h.destination.String(), NextHop: simcloud.NextHop{Address: h.gateway.String()},
	})
}

// fits reports why a network cannot have a route.
func (w wiring) fits(n simcloud.Network, h hop) error {
	if !routable(h.destination) {
		return wrong("destination", "%s is not allowed: must be a private network or 0.0.0.0/0", h.destination)
	}
	prefix := rangeOf(n)
	if !prefix.IsValid() || !prefix.Contains(h.gateway) || h.gateway == prefix.Addr().Next() || h.gateway == reservedGateway() {
		return wrong("gateway", "invalid gateway")
	}
	routes := w.routes(n.ID)
	for _, r := range routes {
		if other, err := netip.ParsePrefix(r.Destination); err == nil && overlap(other, h.destination) {
			return overlaps()
		}
	}
	for _, s := range w.subnets {
		if other, err := netip.ParsePrefix(s.CIDR); err == nil && s.Network == n.ID && overlap(other, h.destination) {
			return overlaps()
		}
	}
	if len(routes) >= maxRoutes {
		return refuse(simcloud.Capacity, codeLimitExceeded, "a network cannot have more than %d routes", maxRoutes)
	}
	return nil
}

// reservedGateway is the gateway of the public interfaces.
func reservedGateway() netip.Addr { return netip.AddrFrom4([4]byte{172, 31, 1, 1}) }

// routable is whether a route may lead to a network.
func routable(destination netip.Prefix) bool {
	if destination.Bits() == 0 && destination.Addr().Is4() {
		return true
	}
	for _, cidr := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"} {
		private := netip.MustParsePrefix(cidr)
		if private.Contains(destination.Addr()) && private.Bits() <= destination.Bits() {
			return true
		}
	}
	return false
}

// overlap is whether two destinations exclude each other. The default route is beside all others.
func overlap(a, b netip.Prefix) bool {
	if a.Bits() == 0 || b.Bits() == 0 {
		return a == b
	}
	return a.Overlaps(b)
}

func overlaps() error {
	return wrong("destination", "network route destination overlaps with another subnetwork or network route")
}

// table is the route table of a network: its first, or a new one.
func (c call) table(ctx context.Context, w wiring, n simcloud.Network) (simcloud.ID, error) {
	for _, table := range w.tables {
		if table.Network == n.ID {
			return table.ID, nil
		}
	}
	made, err := c.cloud.CreateRouteTable(ctx, simcloud.RouteTableSpec{Name: tableName, Network: n.ID, Limit: maxRoutes})
	return made.Resource.ID, err
}

func (c call) deleteRoute() (edge.Reply, error) {
	h, err := c.hop()
	if err != nil {
		return edge.Reply{}, err
	}
	var result simcloud.Result[simcloud.RouteTable]
	err = c.atomically(func(ctx context.Context) (err error) {
		if _, err := c.cloud.GetNetwork(ctx, c.id); err != nil {
			return err
		}
		w, err := c.wiring(ctx)
		if err != nil {
			return err
		}
		table, found, err := w.find(c.id, h)
		if err != nil {
			return err
		}
		result, err = c.cloud.DeleteRoute(ctx, table, found)
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply := c.acted(result.Operation, networkSubject(c.id))
	reply.Meta = &result.Resource.Meta
	return reply, nil
}

// find finds a route of a network by its destination and its gateway.
func (w wiring) find(network simcloud.ID, h hop) (table, found simcloud.ID, err error) {
	for _, t := range w.tables {
		for _, r := range t.Routes {
			if t.Network == network && r.Destination == h.destination.String() && w.gateway(network, r) == h.gateway.String() {
				return t.ID, r.ID, nil
			}
		}
	}
	return "", "", simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindNetwork, network),
		"route %s via %s not found", h.destination, h.gateway)
}
