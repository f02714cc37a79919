package suite

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Network makes a network of its own ranges.
func (f *Fixture) Network(cidrs ...string) simcloud.Network {
	f.Helper()
	spec := simcloud.NetworkSpec{Name: "net", CIDRs: cidrs}
	return Must[simcloud.Result[simcloud.Network]](f)(f.CreateNetwork(f.Ctx, spec)).Resource
}

// Subnet makes a subnet, of the default network where network is "".
func (f *Fixture) Subnet(network simcloud.ID, cidr string) simcloud.Subnet {
	f.Helper()
	spec := simcloud.SubnetSpec{Name: "subnet", Network: network, CIDR: cidr}
	return Must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.Ctx, spec)).Resource
}

// SecurityGroup makes a group with rules for ingress.
func (f *Fixture) SecurityGroup(name string, rules ...simcloud.SecurityGroupRuleSpec) simcloud.SecurityGroup {
	f.Helper()
	spec := simcloud.SecurityGroupSpec{Name: name, Rules: rules}
	return Must[simcloud.Result[simcloud.SecurityGroup]](f)(f.CreateSecurityGroup(f.Ctx, spec)).Resource
}

// AnyTCP is a rule for a port of TCP, from anywhere.
func AnyTCP(port int) simcloud.SecurityGroupRuleSpec {
	return simcloud.SecurityGroupRuleSpec{Protocol: simcloud.RuleTCP, FromPort: port, ToPort: port, CIDR: "0.0.0.0/0"}
}

// MakeSecurityGroup makes a group with the rule sgr-1.
func MakeSecurityGroup(f *Fixture) simcloud.ID { return f.SecurityGroup("g", AnyTCP(80)).ID }

// TargetGroup makes a group for TCP.
func (f *Fixture) TargetGroup(port int, targets ...simcloud.GroupTargetSpec) simcloud.TargetGroup {
	f.Helper()
	spec := simcloud.TargetGroupSpec{Name: "tg", Protocol: simcloud.ProtocolTCP, Port: port, Targets: targets}
	return Must[simcloud.Result[simcloud.TargetGroup]](f)(f.CreateTargetGroup(f.Ctx, spec)).Resource
}

// MakeTargetGroup makes a group with the target i-1 at port 80.
func MakeTargetGroup(f *Fixture) simcloud.ID {
	return f.TargetGroup(80, GroupTargetSpec(MakeInstance(f), 80)).ID
}

// GroupTargetSpec is a target at a port.
func GroupTargetSpec(instance simcloud.ID, port int) simcloud.GroupTargetSpec {
	return simcloud.GroupTargetSpec{Instance: instance, Port: port}
}

// LoadBalancer makes a load balancer, with a name if the spec has none.
func (f *Fixture) LoadBalancer(spec simcloud.LoadBalancerSpec) simcloud.LoadBalancer {
	f.Helper()
	if spec.Name == "" {
		spec.Name = "lb"
	}
	return Must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.Ctx, spec)).Resource
}

// MustGetLoadBalancer reads a load balancer that must be there.
func (f *Fixture) MustGetLoadBalancer(id simcloud.ID) simcloud.LoadBalancer {
	f.Helper()
	return Must[simcloud.LoadBalancer](f)(f.GetLoadBalancer(f.Ctx, id))
}

// MakeLoadBalancer makes a load balancer with a listener and a target.
func MakeLoadBalancer(f *Fixture) simcloud.ID {
	return f.LoadBalancer(simcloud.LoadBalancerSpec{
		Listeners: []simcloud.ListenerSpec{TCP(80, 30080)}, Targets: []simcloud.TargetSpec{{Instance: MakeInstance(f)}},
	}).ID
}

// TCP is a TCP listener.
func TCP(port, targetPort int) simcloud.ListenerSpec {
	return simcloud.ListenerSpec{
		Protocol: simcloud.ProtocolTCP, Port: port,
		ListenerConfig: simcloud.ListenerConfig{TargetPort: targetPort},
	}
}

// ToLoadBalancer is what leads to a load balancer.
func ToLoadBalancer(id simcloud.ID) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: id}
}

// Health is that of the first target of a load balancer.
func (f *Fixture) Health(lb simcloud.ID) simcloud.TargetHealth {
	f.Helper()
	return f.MustGetLoadBalancer(lb).Targets[0].Health
}

// Pool makes a pool of floating IPs.
func (f *Fixture) Pool(name, cidr string) {
	f.Helper()
	Must[simcloud.Result[simcloud.FloatingIPPool]](f)(f.CreateFloatingIPPool(f.Ctx, simcloud.FloatingIPPoolSpec{Name: name, CIDR: cidr}))
}

// FloatingIP makes a floating IP, with a name if the spec has none.
func (f *Fixture) FloatingIP(spec simcloud.FloatingIPSpec) simcloud.FloatingIP {
	f.Helper()
	if spec.Name == "" {
		spec.Name = "fip"
	}
	return Must[simcloud.Result[simcloud.FloatingIP]](f)(f.CreateFloatingIP(f.Ctx, spec)).Resource
}

// MustGetFloatingIP reads a floating IP that must be there.
func (f *Fixture) MustGetFloatingIP(id simcloud.ID) simcloud.FloatingIP {
	f.Helper()
	return Must[simcloud.FloatingIP](f)(f.GetFloatingIP(f.Ctx, id))
}

// MakeFloatingIP makes a floating IP.
func MakeFloatingIP(f *Fixture) simcloud.ID { return f.FloatingIP(simcloud.FloatingIPSpec{}).ID }

// RouteTable makes a route table.
func (f *Fixture) RouteTable(name string) simcloud.RouteTable {
	f.Helper()
	return Must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRouteTable(f.Ctx, simcloud.RouteTableSpec{Name: name})).Resource
}

// MustGetRouteTable reads a route table that must be there.
func (f *Fixture) MustGetRouteTable(id simcloud.ID) simcloud.RouteTable {
	f.Helper()
	return Must[simcloud.RouteTable](f)(f.GetRouteTable(f.Ctx, id))
}

// MakeRouteTable makes a route table.
func MakeRouteTable(f *Fixture) simcloud.ID { return f.RouteTable("t").ID }

// Route adds a route to the default table.
func (f *Fixture) Route(destination string) simcloud.Route {
	f.Helper()
	spec := simcloud.RouteSpec{Destination: destination, NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
	routes := Must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRoute(f.Ctx, "rt-1", spec)).Resource.Routes
	return routes[len(routes)-1]
}

// InstanceNetwork returns the IPv6 network that an instance has with a public address, which must be the first there.
func (f *Fixture) InstanceNetwork(address simcloud.Address) netip.Prefix {
	f.Helper()
	addr, err := netip.ParseAddr(address.Address)
	network, prefixErr := addr.Prefix(64)
	if err != nil || prefixErr != nil || addr != network.Addr().Next() {
		f.Errorf("%s is not the first address of a network of 64 bits", address.Address)
	}
	return network
}

// InRange fails the test unless the address has the scope and is of the range.
func (f *Fixture) InRange(address simcloud.Address, scope simcloud.AddressScope, cidr string) {
	f.Helper()
	addr, err := netip.ParseAddr(address.Address)
	if err != nil || address.Scope != scope || !netip.MustParsePrefix(cidr).Contains(addr) {
		f.Errorf("got %v, want a %s address of %s", address, scope, cidr)
	}
}
