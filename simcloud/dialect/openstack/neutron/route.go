package neutron

import (
	"cmp"
	"net/http"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// extraRoute is a route of a router. Both fields together are unique in it.
type extraRoute struct {
	Destination string `json:"destination"`
	NextHop     string `json:"nexthop"`
}

// hop is the address that a route in a network leads to, as all routes of Neutron do. Of one to an instance, which another API has
// made, it is the instance's address there, and empty when the instance is gone.
func (r routing) hop(network simcloud.ID, route simcloud.Route) string {
	if route.NextHop.Address != "" {
		return route.NextHop.Address
	}
	i := slices.IndexFunc(r.instances, func(i simcloud.Instance) bool { return i.ID == route.NextHop.Instance })
	if i < 0 {
		return ""
	}
	addresses := addressesIn(r.instances[i], network)
	if len(addresses) == 0 {
		return ""
	}
	return addressOf(route.Destination, addresses)
}

// addressOf is the first of the addresses that has the family of a destination, or else the first.
func addressOf(destination string, addresses []string) string {
	prefix, errPrefix := netip.ParsePrefix(destination)
	for _, address := range addresses {
		addr, err := netip.ParseAddr(address)
		if err == nil && errPrefix == nil && addr.Is4() == prefix.Addr().Is4() {
			return address
		}
	}
	return addresses[0]
}

// addressesIn are the private addresses of an instance in a network.
func addressesIn(i simcloud.Instance, network simcloud.ID) []string {
	var all []string
	for _, a := range i.Addresses {
		if a.Scope == simcloud.ScopePrivate && cmp.Or(a.Network, i.Network) == network {
			all = append(all, a.Address)
		}
	}
	return all
}

// is reports whether a route of the cloud is one of a request.
func (r routing) is(network simcloud.ID, have simcloud.Route, wanted extraRoute) bool {
	return have.Destination == wanted.Destination && r.hop(network, have) == wanted.NextHop
}

type routesRequest struct {
	Router *struct {
		Routes []extraRoute `json:"routes"`
	} `json:"router"`
}

// addRoutes adds routes; one that is there stays.
func addRoutes(c service.Call, in routesRequest) (any, *simcloud.Meta, error) {
	if err := atomicRoutes(c, in); err != nil {
		return nil, nil, err
	}
	return reroute(c, in.Router.Routes, func(_ routing, _ simcloud.RouteTable, wanted []extraRoute) ([]simcloud.ID, []extraRoute) {
		return nil, wanted
	})
}

// removeRoutes removes routes; one that is not there is no error.
func removeRoutes(c service.Call, in routesRequest) (any, *simcloud.Meta, error) {
	if err := atomicRoutes(c, in); err != nil {
		return nil, nil, err
	}
	return reroute(c, in.Router.Routes, func(r routing, t simcloud.RouteTable, unwanted []extraRoute) ([]simcloud.ID, []extraRoute) {
		var gone []simcloud.ID
		for _, have := range t.Routes {
			if slices.ContainsFunc(unwanted, func(u extraRoute) bool { return r.is(t.Network, have, u) }) {
				gone = append(gone, have.ID)
			}
		}
		return gone, nil
	})
}

// atomicRoutes refuses a request that the cloud has no extension for, or that has no routes.
func atomicRoutes(c service.Call, in routesRequest) error {
	have, err := extended(c, extraRouteAtomic)
	switch {
	case err != nil:
		return err
	case !have:
		return refuse(simcloud.NotFound, http.StatusNotFound, "HTTPNotFound", "The resource could not be found.")
	case in.Router == nil:
		return service.Wrong("router", "must be an object with routes")
	}
	return nil
}

// reroute removes and adds routes as change says.
func reroute(
	c service.Call, asked []extraRoute, change func(routing, simcloud.RouteTable, []extraRoute) (gone []simcloud.ID, wanted []extraRoute),
) (any, *simcloud.Meta, error) {
	t, err := c.Cloud.GetRouteTable(c.Ctx(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	r, err := routingOf(c, t.Network)
	if err != nil {
		return nil, nil, err
	}
	routes, err := normalRoutes(asked)
	if err != nil {
		return nil, nil, err
	}
	gone, wanted := change(r, t, routes)
	for _, id := range gone {
		if _, err := c.Cloud.DeleteRoute(c.Ctx(), t.ID, id); err != nil {
			return nil, nil, err
		}
	}
	t.Routes = slices.DeleteFunc(slices.Clone(t.Routes), func(have simcloud.Route) bool { return slices.Contains(gone, have.ID) })
	if err := addAll(c, r, t, wanted); err != nil {
		return nil, nil, err
	}
	return answerRouter(c)
}

// addAll adds the routes that a table does not have yet.
func addAll(c service.Call, r routing, t simcloud.RouteTable, wanted []extraRoute) error {
	for _, w := range wanted {
		if slices.ContainsFunc(t.Routes, func(have simcloud.Route) bool { return r.is(t.Network, have, w) }) {
			continue
		}
		if err := r.accepts(t, w); err != nil {
			return err
		}
		changed, err := c.Cloud.CreateRoute(c.Ctx(), t.ID, simcloud.RouteSpec{Destination: w.Destination, NextHop: simcloud.NextHop{Address: w.NextHop}})
		if err != nil {
			return err
		}
		t.Routes = changed.Resource.Routes
	}
	return nil
}

// accepts reports why a router cannot have a route.
func (r routing) accepts(t simcloud.RouteTable, w extraRoute) error {
	hop, err := netip.ParseAddr(w.NextHop)
	if err != nil {
		return err
	}
	connected := false
	for _, s := range r.routed(t) {
		if s.GatewayIP == w.NextHop {
			return invalidRoute(w, "the nexthop is used by router")
		}
		connected = connected || inRange(s.CIDR, hop)
	}
	if !connected {
		return invalidRoute(w, "the nexthop is not connected with router")
	}
	if slices.ContainsFunc(t.Routes, func(have simcloud.Route) bool { return have.Destination == w.Destination }) {
		return service.Wrong("router.routes", "%s has another nexthop already: simcloud does not simulate ECMP, which is several nexthops of one destination", w.Destination)
	}
	return nil
}

func invalidRoute(w extraRoute, why string) error {
	return refuse(simcloud.Invalid, http.StatusBadRequest, "InvalidRoutes", "Invalid format for routes: %s via %s, %s", w.Destination, w.NextHop, why)
}

// normalRoutes are the routes of a request in their one spelling.
func normalRoutes(asked []extraRoute) ([]extraRoute, error) {
	normal := make([]extraRoute, 0, len(asked))
	for _, route := range asked {
		destination, err := netip.ParsePrefix(route.Destination)
		if err != nil || destination != destination.Masked() {
			return nil, service.Wrong("router.routes.destination", "%q is not allowed: must be a network such as 10.244.1.0/24", clip(route.Destination))
		}
		hop, err := netip.ParseAddr(route.NextHop)
		if err != nil || hop.Zone() != "" {
			return nil, service.Wrong("router.routes.nexthop", "%q is not allowed: must be an IP address", clip(route.NextHop))
		}
		if hop.Is4() != destination.Addr().Is4() {
			return nil, service.Wrong("router.routes.nexthop", "%s is not allowed: must be of the family of the destination, %s", hop, destination)
		}
		normal = append(normal, extraRoute{destination.String(), hop.String()})
	}
	return normal, nil
}
