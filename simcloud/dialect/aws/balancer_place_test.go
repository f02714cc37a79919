package aws_test

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// subnets are two in the first network, subnet-1 in zone-a and subnet-2 in zone-b, with more of it behind them.
func (w world) subnets(more ...simcloud.SubnetSpec) {
	w.Helper()
	for _, spec := range append([]simcloud.SubnetSpec{
		{Name: "a", CIDR: "10.0.8.0/24", Zone: "zone-a"}, {Name: "b", CIDR: "10.0.9.0/24", Zone: "zone-b"},
	}, more...) {
		must[simcloud.Result[simcloud.Subnet]](w)(w.native.CreateSubnet(w.Context(), spec))
	}
}

// inSubnets is network for a load balancer in this subnet and in subnet-2.
func inSubnets(name, first string, more ...string) []string {
	return network(name, append([]string{"SubnetMappings.member.1.SubnetId", first, "SubnetMappings.member.2.SubnetId", "subnet-2"}, more...)...)
}

// in reports of each address whether it is in the range.
func (w world) in(addresses []simcloud.VIP, cidrs ...string) {
	w.Helper()
	if len(addresses) != len(cidrs) {
		w.Fatalf("it listens on %+v, want %d addresses", addresses, len(cidrs))
	}
	for i, cidr := range cidrs {
		if addr, err := netip.ParseAddr(addresses[i].Address); err != nil || !netip.MustParsePrefix(cidr).Contains(addr) {
			w.Errorf("address %d is %s, want one of %s", i, addresses[i].Address, cidr)
		}
	}
}

// TestAddressInEachSubnet: an internal load balancer of either edition has an address of each of its subnets.
func TestAddressInEachSubnet(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.subnets()
	w.does(elbv2, "CreateLoadBalancer", inSubnets("net", "subnet-1", "Scheme", "internal")...)
	w.does(elb, "CreateLoadBalancer", classic("old", "Subnets.member.1", "subnet-2", "Subnets.member.2", "subnet-1", "Scheme", "internal")...)
	lb := w.balancer("net")
	w.in(lb.VIPs, "10.0.8.0/24", "10.0.9.0/24")
	if lb.VIPs[0].Subnet != "subnet-1" || lb.VIPs[0].Zone != "zone-a" || lb.VIPs[1].Subnet != "subnet-2" {
		t.Errorf("the VIPs are %+v", lb.VIPs)
	}
	w.in(w.balancer("old").VIPs, "10.0.9.0/24", "10.0.8.0/24")
	w.does(elbv2, "CreateLoadBalancer", inSubnets("out", "subnet-1")...)
	if vips := w.balancer("out").VIPs; len(vips) != 2 || vips[0].Pool == "" || vips[0].Subnet != "subnet-1" || vips[1].Subnet != "subnet-2" {
		t.Errorf("a public one has the VIPs %+v", vips)
	}
	w.refused("InvalidConfigurationRequest", 400, elb, "CreateLoadBalancer", classic("two", "Subnets.member.1", "subnet-1", "Subnets.member.2", "subnet-1")...)
}

// TestChosenAddresses: a load balancer has the address that is asked for in each subnet; one outside of it or taken is refused.
func TestChosenAddresses(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.subnets(simcloud.SubnetSpec{Name: "small", CIDR: "10.0.10.0/30", Zone: "zone-c"})
	w.instance(simcloud.InstanceSpec{Name: "node-1", Subnet: "subnet-1", PrivateAddress: "10.0.8.9"})
	const first, second = "SubnetMappings.member.1.PrivateIPv4Address", "SubnetMappings.member.2.PrivateIPv4Address"
	ask := func(name, one, two string) []string {
		return inSubnets(name, "subnet-1", "Scheme", "internal", first, one, second, two)
	}
	w.does(elbv2, "CreateLoadBalancer", ask("web", "10.0.8.77", "10.0.9.77")...)
	w.in(w.balancer("web").VIPs, "10.0.8.77/32", "10.0.9.77/32")
	w.does(elbv2, "CreateLoadBalancer", ask("web", "10.0.8.77", "10.0.9.77")...) // the same again
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"AvailabilityZones/member/LoadBalancerAddresses/member/PrivateIPv4Address", "10.0.8.77 10.0.9.77")
	for _, test := range []struct{ code, one, two, says string }{
		{"ValidationError", "10.0.8.10", "10.0.8.11", "10.0.9.0/24, the range of subnet-2"},
		{"ValidationError", "10.0.8.10", "fd00::9", "IPv4"},
		{"ValidationError", "10.0.8.10", "010.0.9.9", "PrivateIPv4Address"},
		{"ValidationError", "10.0.8.1", "10.0.9.10", "SubnetMappings.member.1: 10.0.8.1 cannot be allocated"}, // the gateway's
		{"ResourceInUse", "10.0.8.9", "10.0.9.10", "10.0.8.9 is taken"},                                       // by an instance
		{"ResourceInUse", "10.0.8.10", "10.0.9.77", "10.0.9.77 is taken"},                                     // by a load balancer
	} {
		answer := w.refused(test.code, 400, elbv2, "CreateLoadBalancer", ask("other", test.one, test.two)...)
		if text := answer.text("Error/Message"); !strings.Contains(text, test.says) {
			t.Errorf("%s and %s: %q does not say %q", test.one, test.two, text, test.says)
		}
	}
	w.does(elbv2, "CreateLoadBalancer", inSubnets("last", "subnet-3", "Scheme", "internal")...)
	w.refused("InvalidSubnet", 400, elbv2, "CreateLoadBalancer", inSubnets("full", "subnet-3", "Scheme", "internal")...)
	w.refused("InvalidSubnet", 400, elb, "CreateLoadBalancer", classic("full", "Subnets.member.1", "subnet-3", "Subnets.member.2", "subnet-2", "Scheme", "internal")...)
	if all := must[simcloud.Page[simcloud.LoadBalancer]](t)(w.native.ListLoadBalancers(t.Context(), simcloud.ListOptions{})); len(all.Items) != 2 {
		t.Errorf("there are %d load balancers", len(all.Items))
	}
}

// TestDualStackNetwork: a load balancer of the type dualstack has an IPv4 and an IPv6 address in each subnet.
func TestDualStackNetwork(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.7.0.0/16", "fd07::/56"}}))
	must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "a", Network: "net-2", CIDR: "10.7.8.0/24", Zone: "zone-a"}))
	must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "b", Network: "net-2", CIDR: "10.7.9.0/24", Zone: "zone-b"}))
	w.does(ec2, "DescribeSubnets", "SubnetId.1", "subnet-1").has("subnetSet/item/ipv6CidrBlockAssociationSet/item/ipv6CidrBlock", "fd07::/56")
	inside := func(more ...string) []string {
		return inSubnets("in", "subnet-1", append([]string{"Scheme", "internal", "IpAddressType", "dualstack", "SubnetMappings.member.2.IPv6Address", "fd07::77"}, more...)...)
	}
	w.does(elbv2, "CreateLoadBalancer", inside()...).has("CreateLoadBalancerResult/LoadBalancers/member/IpAddressType", "dualstack")
	w.in(w.balancer("in").VIPs, "10.7.8.0/24", "fd07::/56", "10.7.9.0/24", "fd07::77/128")
	w.does(elbv2, "CreateLoadBalancer", inside()...) // the same again
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"IpAddressType", "dualstack", inNLB+"AvailabilityZones/member/LoadBalancerAddresses/member/IPv6Address", "fd07::77")
	w.refused("DuplicateLoadBalancerName", 400, elbv2, "CreateLoadBalancer", inSubnets("in", "subnet-1", "Scheme", "internal")...)
	w.does(elbv2, "CreateLoadBalancer", inSubnets("out", "subnet-1", "IpAddressType", "dualstack")...)
	pools := []string{}
	for _, vip := range w.balancer("out").VIPs {
		pools = append(pools, vip.Pool+"/"+string(vip.Zone))
	}
	if want := []string{"public/zone-a", "public-v6/zone-a", "public/zone-b", "public-v6/zone-b"}; !slices.Equal(pools, want) {
		t.Errorf("a public one has addresses of %v, want %v", pools, want)
	}
	for _, bad := range [][]string{
		{"Name", "x", "IpAddressType", "ipv4"}, {"Name", "x", "Scheme", "internet-facing"}, {"Name", "x", "IpAddressType", "dualstack-without-public-ipv4"},
	} {
		w.refused("InvalidConfigurationRequest", 400, elbv2, "CreateLoadBalancer", inside(bad...)...)
	}
	w.refused("ValidationError", 400, elbv2, "CreateLoadBalancer", inside("Name", "x", "SubnetMappings.member.2.IPv6Address", "fd08::1")...)
	w.refused("ResourceInUse", 400, elbv2, "CreateLoadBalancer", inside("Name", "x")...)
}

// TestSetSubnets: subnets that stay keep their addresses, others come and go, and so do the addresses of one family.
func TestSetSubnets(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.7.0.0/16", "fd07::/56"}}))
	w.subnets()
	arn := w.does(elbv2, "CreateLoadBalancer", inSubnets("web", "subnet-1", "Scheme", "internal", "SubnetMappings.member.2.PrivateIPv4Address", "10.0.9.77")...).
		text("CreateLoadBalancerResult/LoadBalancers/member/LoadBalancerArn")
	first := w.balancer("web").VIPs
	must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "c", CIDR: "10.0.10.0/24", Zone: "zone-c"}))
	set := func(ids ...string) []string {
		fields := []string{"LoadBalancerArn", arn}
		for i, id := range ids {
			fields = append(fields, "Subnets.member."+strconv.Itoa(i+1), id)
		}
		return fields
	}
	w.does(elbv2, "SetSubnets", set("subnet-3", "subnet-2")...).has("SetSubnetsResult/AvailabilityZones/member/SubnetId", "subnet-3 subnet-2",
		"SetSubnetsResult/IpAddressType", "ipv4")
	now := w.balancer("web").VIPs
	w.in(now, "10.0.10.0/24", "10.0.9.77/32")
	if now[1] != first[1] {
		t.Errorf("%+v has become %+v", first[1], now[1])
	}
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"AvailabilityZones/member/LoadBalancerAddresses/member/PrivateIPv4Address", "10.0.9.77")
	must[simcloud.Operation](t)(w.native.DeleteSubnet(t.Context(), "subnet-1"))
	w.refused("SubnetNotFound", 400, elbv2, "SetSubnets", set("subnet-1")...)
	w.refused("InvalidSubnet", 400, elbv2, "SetSubnets", set("subnet-zone-a-2")...)
	w.refused("ValidationError", 400, elbv2, "SetSubnets", "LoadBalancerArn", arn)
	w.refused("InvalidConfigurationRequest", 400, elbv2, "SetIpAddressType", "LoadBalancerArn", arn, "IpAddressType", "dualstack") // the network has no IPv6
	dual := w.nlb("dual", "SubnetMappings.member.1.SubnetId", "subnet-zone-a-2", "SubnetMappings.member.2.SubnetId", "subnet-zone-b-2", "Scheme", "internal")
	w.does(elbv2, "SetIpAddressType", "LoadBalancerArn", dual, "IpAddressType", "dualstack").has("SetIpAddressTypeResult/IpAddressType", "dualstack")
	w.in(w.balancer("dual").VIPs, "10.7.0.0/16", "fd07::/56", "10.7.0.0/16", "fd07::/56")
	w.does(elbv2, "SetIpAddressType", "LoadBalancerArn", dual, "IpAddressType", "ipv4")
	w.in(w.balancer("dual").VIPs, "10.7.0.0/16", "10.7.0.0/16")
}

// TestSubnetsOfClassicHaveAddresses: each subnet that is attached brings an address, and takes it away.
func TestSubnetsOfClassicHaveAddresses(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.subnets(simcloud.SubnetSpec{Name: "twin", CIDR: "10.0.10.0/24", Zone: "zone-a"})
	without := func(fields []string, names ...string) (left []string) {
		for i := 0; i < len(fields); i += 2 {
			if !slices.Contains(names, fields[i]) {
				left = append(left, fields[i:i+2]...)
			}
		}
		return left
	}
	w.does(elb, "CreateLoadBalancer", without(classic("web", "Scheme", "internal", "Subnets.member.1", "subnet-1"), "Subnets.member.2")...)
	first := w.balancer("web").VIPs
	w.does(elb, "AttachLoadBalancerToSubnets", "LoadBalancerName", "web", "Subnets.member.1", "subnet-2")
	w.in(w.balancer("web").VIPs, first[0].Address+"/32", "10.0.9.0/24")
	w.refused("InvalidConfigurationRequest", 400, elb, "AttachLoadBalancerToSubnets", "LoadBalancerName", "web", "Subnets.member.1", "subnet-3")
	w.does(elb, "DetachLoadBalancerFromSubnets", "LoadBalancerName", "web", "Subnets.member.1", "subnet-1")
	w.in(w.balancer("web").VIPs, "10.0.9.0/24")
	// A request can name zones in place of subnets.
	zones := func(name, first, second string) []string {
		return append(without(classic(name), "Subnets.member.1", "Subnets.member.2"), "AvailabilityZones.member.1", first, "AvailabilityZones.member.2", second)
	}
	w.does(elb, "CreateLoadBalancer", zones("zones", "zone-b", "zone-a")...)
	w.does(elb, "DescribeLoadBalancers", "LoadBalancerNames.member.1", "zones").has(inCLB+"Subnets/member", "subnet-2 subnet-1")
	w.refused("ValidationError", 400, elb, "CreateLoadBalancer", classic("both", "AvailabilityZones.member.1", "zone-a")...)
	w.refused("ValidationError", 400, elb, "CreateLoadBalancer", zones("moon", "zone-a", "zone-z")...)
}

// TestDerivedSubnetsStay: a derived subnet is shown as long as something is in it, also when its network has subnets of its own.
func TestDerivedSubnetsStay(t *testing.T) {
	t.Parallel()
	w := open(t)
	node := w.instance(simcloud.InstanceSpec{Name: "node-1", Zone: "zone-b"})
	arn := w.nlb("web", "SubnetMappings.member.1.SubnetId", "subnet-zone-c", "SubnetMappings.member.2.SubnetId", "subnet-zone-b")
	w.subnets()
	shown := func(want string) {
		t.Helper()
		w.does(ec2, "DescribeSubnets").has("subnetSet/item/subnetId", want)
	}
	shown("subnet-1 subnet-2 subnet-zone-b subnet-zone-c")
	w.does(ec2, "DescribeInstances").has(inReservation+"subnetId", "subnet-zone-b")
	w.does(ec2, "DescribeSubnets", "SubnetId.1", "subnet-zone-b").has("subnetSet/item/availabilityZone", "zone-b")
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"AvailabilityZones/member/ZoneName", "zone-c zone-b")
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", arn)
	shown("subnet-1 subnet-2 subnet-zone-b")
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), node.ID))
	shown("subnet-1 subnet-2")
	w.refused("InvalidSubnetID.NotFound", 400, ec2, "DescribeSubnets", "SubnetId.1", "subnet-zone-b")
}
