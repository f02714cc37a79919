package hcloud

import (
	"context"
	"net/netip"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// loadBalancer is a load balancer of the cloud.
type loadBalancer struct {
	ID               int64              `json:"id"`
	Name             string             `json:"name"`
	PublicNet        loadBalancerPublic `json:"public_net"`
	PrivateNet       []loadBalancerNet  `json:"private_net"`
	Location         location           `json:"location"`
	LoadBalancerType loadBalancerType   `json:"load_balancer_type"`
	Protection       deletionProtection `json:"protection"`
	Labels           map[string]string  `json:"labels"`
	Created          time.Time          `json:"created"`
	Services         []service          `json:"services"`
	Targets          []target           `json:"targets"`
	Algorithm        algorithm          `json:"algorithm"`
	IncludedTraffic  int64              `json:"included_traffic"`
	OutgoingTraffic  *int64             `json:"outgoing_traffic"`
	IngoingTraffic   *int64             `json:"ingoing_traffic"`
}

type loadBalancerPublic struct {
	Enabled bool          `json:"enabled"`
	IPv4    publicAddress `json:"ipv4"`
	IPv6    publicAddress `json:"ipv6"`
}

type publicAddress struct {
	IP     *string `json:"ip"`
	DNSPtr *string `json:"dns_ptr"`
}

type loadBalancerNet struct {
	Network int64  `json:"network"`
	IP      string `json:"ip"`
}

type deletionProtection struct {
	Delete bool `json:"delete"`
}

type algorithm struct {
	Type string `json:"type"`
}

// balancing is what load balancers refer to.
type balancing struct {
	zones []simcloud.Zone
	types []loadBalancerType
}

// balancing reads what load balancers refer to.
func (c call) balancing(ctx context.Context) (b balancing, err error) {
	if b.zones, err = all(ctx, c.cloud.ListZones); err != nil {
		return b, err
	}
	b.types, err = c.types(ctx)
	return b, err
}

// loadBalancer is a load balancer as Hetzner shows it.
func (b balancing) loadBalancer(lb simcloud.LoadBalancer) loadBalancer {
	view := loadBalancer{
		ID: numberOf(lb.ID), Name: lb.Name, PrivateNet: []loadBalancerNet{}, Location: b.location(lb),
		LoadBalancerType: typeOf(b.types, lb), Protection: deletionProtection{lb.Protected}, Labels: shown(lb.Labels),
		Created: lb.Created, Services: servicesOf(lb), Targets: targetsOf(lb), Algorithm: algorithm{string(lb.Algorithm)},
		IncludedTraffic: includedTraffic,
	}
	view.PublicNet.Enabled = publicEnabled(lb)
	for _, vip := range lb.VIPs {
		view.addVIP(vip)
	}
	return view
}

// location is where a load balancer is. One that was not made through this dialect is in the first zone.
func (b balancing) location(lb simcloud.LoadBalancer) location {
	for _, zone := range b.zones {
		if zone.Name == lb.Labels[labelLocation] {
			return locationOf(zone)
		}
	}
	if len(b.zones) == 0 {
		return location{}
	}
	return locationOf(b.zones[0])
}

// publicEnabled is whether a load balancer has a public interface.
func publicEnabled(lb simcloud.LoadBalancer) bool {
	return lb.Scheme != simcloud.SchemeInternal && !lb.PublicDisabled
}

// addVIP adds an address that the load balancer listens on.
func (l *loadBalancer) addVIP(vip simcloud.VIP) {
	addr, err := netip.ParseAddr(vip.Address)
	if err != nil {
		return
	}
	public := &l.PublicNet.IPv4
	if addr.Is6() {
		public = &l.PublicNet.IPv6
	}
	switch {
	case private(vip) && addr.Is4():
		l.PrivateNet = append(l.PrivateNet, loadBalancerNet{numberOf(vip.Network), vip.Address})
	case private(vip): // no network of Hetzner has IPv6
	case public.IP == nil:
		public.IP, public.DNSPtr = &vip.Address, ptrOf(vip.PTR)
	}
}

func (c call) listLoadBalancers() (edge.Reply, error) {
	return list(c, "load_balancers", c.cloud.ListLoadBalancers, func(part []simcloud.LoadBalancer) (any, error) {
		b, err := c.balancing(c.ctx())
		if err != nil {
			return nil, err
		}
		return each(part, b.loadBalancer), nil
	}, nil)
}

func (c call) getLoadBalancer() (edge.Reply, error) {
	lb, err := c.cloud.GetLoadBalancer(c.ctx(), c.id)
	if err != nil {
		return edge.Reply{}, err
	}
	return c.loadBalancerReply(200, lb)
}

// loadBalancerReply answers one load balancer.
func (c call) loadBalancerReply(status int, lb simcloud.LoadBalancer) (edge.Reply, error) {
	b, err := c.balancing(c.ctx())
	if err != nil {
		return edge.Reply{}, err
	}
	reply := answered(status, "load_balancer", b.loadBalancer(lb))
	reply.Meta = &lb.Meta
	return reply, nil
}
