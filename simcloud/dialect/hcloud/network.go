package hcloud

import (
	"cmp"
	"context"
	"net/netip"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// network is a network of the cloud. Its IPv6 range is not shown: Hetzner has none.
type network struct {
	ID            int64              `json:"id"`
	Name          string             `json:"name"`
	IPRange       string             `json:"ip_range"`
	Subnets       []subnet           `json:"subnets"`
	Routes        []route            `json:"routes"`
	Servers       []int64            `json:"servers"`
	LoadBalancers []int64            `json:"load_balancers"`
	Protection    deletionProtection `json:"protection"`
	Labels        map[string]string  `json:"labels"`
	Created       time.Time          `json:"created"`
	ExposeRoutes  bool               `json:"expose_routes_to_vswitch"`
}

type subnet struct {
	Type        string `json:"type"`
	IPRange     string `json:"ip_range"`
	NetworkZone string `json:"network_zone"`
	Gateway     string `json:"gateway"`
	VSwitchID   *int64 `json:"vswitch_id"`
}

type route struct {
	Destination string `json:"destination"`
	Gateway     string `json:"gateway"`
}

// wiring is what networks consist of and what is in them.
type wiring struct {
	zones         []simcloud.Zone
	subnets       []simcloud.Subnet
	tables        []simcloud.RouteTable
	instances     []simcloud.Instance
	loadBalancers []simcloud.LoadBalancer
}

// wiring reads what networks consist of and what is in them.
func (c call) wiring(ctx context.Context) (w wiring, err error) {
	if w.zones, err = all(ctx, c.cloud.ListZones); err != nil {
		return w, err
	}
	if w.subnets, err = all(ctx, c.cloud.ListSubnets); err != nil {
		return w, err
	}
	if w.tables, err = all(ctx, c.cloud.ListRouteTables); err != nil {
		return w, err
	}
	if w.instances, err = all(ctx, c.cloud.ListInstances); err != nil {
		return w, err
	}
	w.loadBalancers, err = all(ctx, c.cloud.ListLoadBalancers)
	return w, err
}

// network is a network as Hetzner shows it.
func (w wiring) network(n simcloud.Network) network {
	view := network{
		ID: numberOf(n.ID), Name: n.Name, Subnets: []subnet{}, Routes: []route{}, Servers: []int64{}, LoadBalancers: []int64{},
		Protection: deletionProtection{n.Protected}, Labels: shown(n.Labels), Created: n.Created,
	}
	prefix := rangeOf(n)
	if prefix.IsValid() {
		view.IPRange = prefix.String()
	}
	for _, s := range w.subnets {
		if p, err := netip.ParsePrefix(s.CIDR); err == nil && s.Network == n.ID && p.Addr().Is4() {
			view.Subnets = append(view.Subnets, subnet{
				Type: cmp.Or(s.Labels[labelSubnetType], typeCloud), IPRange: s.CIDR, NetworkZone: w.networkZone(s), Gateway: prefix.Addr().Next().String(),
			})
		}
	}
	for _, r := range w.routes(n.ID) {
		view.Routes = append(view.Routes, route{r.Destination, w.gateway(n.ID, r)})
	}
	for _, i := range w.instances {
		if i.AttachedTo(n.ID) {
			view.Servers = append(view.Servers, numberOf(i.ID))
		}
	}
	for _, lb := range w.loadBalancers {
		if lb.AttachedTo(n.ID) {
			view.LoadBalancers = append(view.LoadBalancers, numberOf(lb.ID))
		}
	}
	return view
}

// rangeOf is the IPv4 range of a network; invalid when it has none.
func rangeOf(n simcloud.Network) netip.Prefix {
	for _, cidr := range n.CIDRs {
		if prefix, err := netip.ParsePrefix(cidr); err == nil && prefix.Addr().Is4() {
			return prefix
		}
	}
	return netip.Prefix{}
}

// networkZone is the region of a subnet. One that is in no zone has the first region.
func (w wiring) networkZone(s simcloud.Subnet) string {
	for _, zone := range w.zones {
		if s.Zone == "" || zone.ID == s.Zone {
			return string(zone.Region)
		}
	}
	return ""
}

// routes are those of all tables of a network.
func (w wiring) routes(network simcloud.ID) []simcloud.Route {
	var routes []simcloud.Route
	for _, table := range w.tables {
		if table.Network == network {
			routes = append(routes, table.Routes...)
		}
	}
	return routes
}

// gateway is the address that a route of a network leads to, which is that of its instance there
// when it was made to lead to one; empty when that is gone.
func (w wiring) gateway(network simcloud.ID, r simcloud.Route) string {
	if r.NextHop.Address != "" {
		return r.NextHop.Address
	}
	for _, i := range w.instances {
		if addresses := privateIPv4s(i, network); i.ID == r.NextHop.Instance && len(addresses) > 0 {
			return addresses[0]
		}
	}
	return ""
}

// isIPv4 is whether a text is an IPv4 address.
func isIPv4(text string) bool {
	addr, err := netip.ParseAddr(text)
	return err == nil && addr.Is4()
}

func (c call) listNetworks() (edge.Reply, error) {
	return list(c, "networks", c.cloud.ListNetworks, func(part []simcloud.Network) (any, error) {
		w, err := c.wiring(c.ctx())
		return each(part, w.network), err
	}, nil)
}

func (c call) getNetwork() (edge.Reply, error) {
	n, err := c.cloud.GetNetwork(c.ctx(), c.id)
	if err != nil {
		return edge.Reply{}, err
	}
	return c.networkReply(200, n)
}

// networkReply answers one network.
func (c call) networkReply(status int, n simcloud.Network) (edge.Reply, error) {
	w, err := c.wiring(c.ctx())
	reply := answered(status, "network", w.network(n))
	reply.Meta = &n.Meta
	return reply, err
}
