package simtest

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// network makes a network of its own ranges.
func (f *fixture) network(cidrs ...string) simcloud.Network {
	f.Helper()
	spec := simcloud.NetworkSpec{Name: "net", CIDRs: cidrs}
	return must[simcloud.Result[simcloud.Network]](f)(f.CreateNetwork(f.ctx, spec)).Resource
}

// subnet makes a subnet, of the default network where network is "".
func (f *fixture) subnet(network simcloud.ID, cidr string) simcloud.Subnet {
	f.Helper()
	spec := simcloud.SubnetSpec{Name: "subnet", Network: network, CIDR: cidr}
	return must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.ctx, spec)).Resource
}

// loadBalancer makes a load balancer, with a name if the spec has none.
func (f *fixture) loadBalancer(spec simcloud.LoadBalancerSpec) simcloud.LoadBalancer {
	f.Helper()
	if spec.Name == "" {
		spec.Name = "lb"
	}
	return must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.ctx, spec)).Resource
}

// getLoadBalancer reads a load balancer that must be there.
func (f *fixture) getLoadBalancer(id simcloud.ID) simcloud.LoadBalancer {
	f.Helper()
	return must[simcloud.LoadBalancer](f)(f.GetLoadBalancer(f.ctx, id))
}

// aLoadBalancer makes a load balancer with a listener and a target.
func aLoadBalancer(f *fixture) simcloud.ID {
	return f.loadBalancer(simcloud.LoadBalancerSpec{
		Listeners: []simcloud.ListenerSpec{tcp(80, 30080)}, Targets: []simcloud.TargetSpec{{Instance: anInstance(f)}},
	}).ID
}

// tcp is a TCP listener.
func tcp(port, targetPort int) simcloud.ListenerSpec {
	return simcloud.ListenerSpec{
		Protocol: simcloud.ProtocolTCP, Port: port,
		ListenerConfig: simcloud.ListenerConfig{TargetPort: targetPort},
	}
}

// toLoadBalancer is what leads to a load balancer.
func toLoadBalancer(id simcloud.ID) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: id}
}

// health is that of the first target of a load balancer.
func (f *fixture) health(lb simcloud.ID) simcloud.TargetHealth {
	f.Helper()
	return f.getLoadBalancer(lb).Targets[0].Health
}

// pool makes a pool of floating IPs.
func (f *fixture) pool(name, cidr string) {
	f.Helper()
	must[simcloud.Result[simcloud.FloatingIPPool]](f)(f.CreateFloatingIPPool(f.ctx, simcloud.FloatingIPPoolSpec{Name: name, CIDR: cidr}))
}

// floatingIP makes a floating IP, with a name if the spec has none.
func (f *fixture) floatingIP(spec simcloud.FloatingIPSpec) simcloud.FloatingIP {
	f.Helper()
	if spec.Name == "" {
		spec.Name = "fip"
	}
	return must[simcloud.Result[simcloud.FloatingIP]](f)(f.CreateFloatingIP(f.ctx, spec)).Resource
}

// getFloatingIP reads a floating IP that must be there.
func (f *fixture) getFloatingIP(id simcloud.ID) simcloud.FloatingIP {
	f.Helper()
	return must[simcloud.FloatingIP](f)(f.GetFloatingIP(f.ctx, id))
}

// aFloatingIP makes a floating IP.
func aFloatingIP(f *fixture) simcloud.ID { return f.floatingIP(simcloud.FloatingIPSpec{}).ID }

// routeTable makes a route table.
func (f *fixture) routeTable(name string) simcloud.RouteTable {
	f.Helper()
	return must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRouteTable(f.ctx, simcloud.RouteTableSpec{Name: name})).Resource
}

// getRouteTable reads a route table that must be there.
func (f *fixture) getRouteTable(id simcloud.ID) simcloud.RouteTable {
	f.Helper()
	return must[simcloud.RouteTable](f)(f.GetRouteTable(f.ctx, id))
}

// aRouteTable makes a route table.
func aRouteTable(f *fixture) simcloud.ID { return f.routeTable("t").ID }

// route adds a route to the default table.
func (f *fixture) route(destination string) simcloud.Route {
	f.Helper()
	spec := simcloud.RouteSpec{Destination: destination, NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
	routes := must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRoute(f.ctx, "rt-1", spec)).Resource.Routes
	return routes[len(routes)-1]
}

// inRange fails the test unless the address has the scope and is of the range.
func (f *fixture) inRange(address simcloud.Address, scope simcloud.AddressScope, cidr string) {
	f.Helper()
	addr, err := netip.ParseAddr(address.Address)
	if err != nil || address.Scope != scope || !netip.MustParsePrefix(cidr).Contains(addr) {
		f.Errorf("got %v, want a %s address of %s", address, scope, cidr)
	}
}
