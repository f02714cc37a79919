package network

import (
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testAddresses(s suite.Runner) {
	s.Test("CreateFloatingIP/FreedLast", func(f *suite.Fixture) {
		first := f.FloatingIP(simcloud.FloatingIPSpec{})
		suite.Must[simcloud.Operation](f)(f.DeleteFloatingIP(f.Ctx, first.ID))
		if again := f.FloatingIP(simcloud.FloatingIPSpec{}); again.Address == first.Address {
			f.Errorf("%s was handed out again while others were free", again.Address)
		}
	})
	s.Test("CreateInstance/AddressesReused", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/29")
		make := func() simcloud.Instance {
			return f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID, NoPublicAddress: true})
		}
		var all []simcloud.Instance
		var addresses []string
		for range 5 {
			instance := make()
			all, addresses = append(all, instance), append(addresses, instance.Addresses[0].Address)
		}
		sorted := slices.Sorted(slices.Values(addresses))
		f.Equal("all but network, gateway and broadcast", sorted, []string{"10.9.0.2", "10.9.0.3", "10.9.0.4", "10.9.0.5", "10.9.0.6"})
		for _, i := range []int{3, 1} {
			suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, all[i].ID))
		}
		f.Equal("reused in the order of their release", []string{make().Addresses[0].Address, make().Addresses[0].Address},
			[]string{addresses[3], addresses[1]})
	})
	s.Test("CreateLoadBalancer/AddressesFreed", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/30") // one address
		spec := simcloud.LoadBalancerSpec{Name: "lb", Scheme: simcloud.SchemeInternal, Network: network.ID}
		lb := f.LoadBalancer(spec)
		_, err := f.CreateLoadBalancer(f.Ctx, spec)
		f.Want(err, simcloud.Capacity)
		suite.Must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		f.Equal("VIPs", f.LoadBalancer(spec).VIPs, lb.VIPs)
	})
	s.Test("CreateLoadBalancer/Addresses", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/24", "fd09::/64")
		spec := simcloud.LoadBalancerSpec{Name: "lb", Scheme: simcloud.SchemeInternal, Network: network.ID, Addresses: []string{"FD09:0::9"}}
		lb := f.LoadBalancer(spec)
		f.Equal("VIPs", len(lb.VIPs), 2)
		f.Equal("the IPv6 address", lb.VIPs[1].Address, "fd09::9")
		_, err := f.CreateLoadBalancer(f.Ctx, spec)
		f.Want(err, simcloud.AlreadyExists)
		for field, bad := range map[string][]string{
			"addresses[0]": {"10.10.0.9"}, "addresses[1]": {"fd09::8", "10.9.0.1"},
		} {
			wrong := spec
			wrong.Addresses = bad
			_, err := f.CreateLoadBalancer(f.Ctx, wrong)
			f.WantField(err, field)
		}
		suite.Must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		f.Equal("VIPs after a deletion", f.LoadBalancer(spec).VIPs[1].Address, "fd09::9")
	})
	testInstanceAddresses(s)
	testPrivateAddress(s)
	testInstanceFamilies(s)
}

// testInstanceFamilies: an instance has public addresses of the families that it asks for, whatever its network has.
func testInstanceFamilies(s suite.Runner) {
	s.Test("CreateInstance/PublicFamilies", func(f *suite.Fixture) {
		public := func(spec simcloud.InstanceSpec) (families []int) {
			spec.Name = "a"
			for _, a := range f.InstanceOf(spec).Addresses {
				switch addr := netip.MustParseAddr(a.Address); {
				case a.Scope != simcloud.ScopePublic:
				case addr.Is4():
					families = append(families, 4)
				default:
					families = append(families, 6)
				}
			}
			return families
		}
		six := f.Network("fd08::/64").ID
		f.Equal("of the network", [][]int{public(simcloud.InstanceSpec{}), public(simcloud.InstanceSpec{Network: six})}, [][]int{{4}, {6}})
		for _, want := range [][]int{{4}, {6}, {4, 6}} {
			f.Equal("of the first network", public(simcloud.InstanceSpec{PublicFamilies: want}), want)
			f.Equal("of the IPv6 network", public(simcloud.InstanceSpec{PublicFamilies: want, Network: six}), want)
		}
		for field, bad := range map[string]simcloud.InstanceSpec{
			"publicFamilies": {PublicFamilies: []int{4}, NoPublicAddress: true}, "publicFamilies[0]": {PublicFamilies: []int{5}}, "publicFamilies[1]": {PublicFamilies: []int{6, 6}},
		} {
			bad.Name = "a"
			_, err := f.CreateInstance(f.Ctx, bad)
			f.WantField(err, field)
		}
		f.Check()
	})
}

// testPrivateAddress: an instance can ask for its private address.
func testPrivateAddress(s suite.Runner) {
	s.Test("CreateInstance/PrivateAddress", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/24", "fd07::/64")
		spec := simcloud.InstanceSpec{Name: "a", Network: network.ID, NoPublicAddress: true, PrivateAddress: "10.7.0.9"}
		first := f.InstanceOf(spec)
		f.Equal("addresses", len(first.Addresses), 2)
		f.Equal("the IPv4 address", first.Addresses[0], simcloud.Address{Scope: simcloud.ScopePrivate, Address: "10.7.0.9"})
		f.InRange(first.Addresses[1], simcloud.ScopePrivate, "fd07::/64")
		_, err := f.CreateInstance(f.Ctx, spec)
		f.Want(err, simcloud.AlreadyExists)
		six := f.InstanceOf(simcloud.InstanceSpec{Name: "b", Network: network.ID, PrivateAddress: "FD07:0::9"})
		f.InRange(six.Addresses[0], simcloud.ScopePrivate, "10.7.0.0/24")
		f.Equal("the IPv6 address", six.Addresses[1].Address, "fd07::9")
		again := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, first.ID)).Resource
		if again.Addresses[0].Address == "10.7.0.9" {
			f.Errorf("the instance that took its place has its address")
		}
		f.Equal("the address of what is gone", f.InstanceOf(spec).Addresses[0].Address, "10.7.0.9")
	})
	s.Test("CreateInstance/PrivateAddressSubnet", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/24")
		subnet := suite.Must[subnetResult](f)(f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "s", Network: network.ID, CIDR: "10.7.0.64/26", Zone: "zone-b"})).Resource
		in := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID, PrivateAddress: "10.7.0.70"})
		f.Equal("address", in.Addresses[0].Address, "10.7.0.70")
		around := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID, PrivateAddress: "10.7.0.71"})
		f.Equal("subnet and zone by the address", []simcloud.ID{around.Subnet, around.Zone}, []simcloud.ID{subnet.ID, "zone-b"})
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Network: network.ID, PrivateAddress: "10.7.0.72", Zone: "zone-a"})
		f.WantField(err, "subnet")
		for _, reserved := range []string{"10.7.0.64", "10.7.0.65", "10.7.0.127", "10.7.0.9"} { // and one outside of the subnet
			_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID, PrivateAddress: reserved})
			f.WantField(err, "privateAddress")
		}
		for _, reserved := range []string{"10.7.0.0", "10.7.0.1", "10.7.0.64", "10.7.0.127", "10.7.0.255", "10.7.1.9", "fd07::9", "x"} {
			_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Network: network.ID, PrivateAddress: reserved})
			f.WantField(err, "privateAddress")
		}
		suite.Drop(f)(f.DeleteInstance(f.Ctx, in.ID))
		f.Equal("what is free again", f.InstanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID, PrivateAddress: "10.7.0.70"}).Addresses[0].Address, "10.7.0.70")
	})
	s.Test("CreateInstance/PrivateAddressRepeated", func(f *suite.Fixture) {
		create := func(address string) (simcloud.Result[simcloud.Instance], error) {
			return f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", PrivateAddress: address}, simcloud.IdempotencyKey("k"))
		}
		first := suite.Must[simcloud.Result[simcloud.Instance]](f)(create("10.0.0.9"))
		f.Equal("the same call again", suite.Must[simcloud.Result[simcloud.Instance]](f)(create("10.0.0.9")).Resource.ID, first.Resource.ID)
		_, err := create("10.0.0.10")
		f.Want(err, simcloud.Conflict)
	})
	s.Test("Seed/PrivateAddress", func(f *suite.Fixture) {
		want := simcloud.Topology{Instances: &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "a", PrivateAddress: "10.0.0.9"}}}}
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		first := f.MustGetInstance("i-1")
		f.Equal("address", first.Addresses[0].Address, "10.0.0.9")
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		f.Equal("the instance stays", f.MustGetInstance("i-1"), first)
		(*want.Instances)[0].PrivateAddress = "10.0.0.10"
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		f.Equal("with another address it is replaced", f.MustGetInstance("i-2").Addresses[0].Address, "10.0.0.10")
		(*want.Instances)[0].Count = 2
		_, err := f.Control().Seed(f.Ctx, want)
		f.WantField(err, "instances[0].privateAddress")
	})
}

func testInstanceAddresses(s suite.Runner) {
	s.Test("CreateInstance/DualStack", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/24", "fd07::/64")
		got := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		f.Equal("addresses", len(got.Addresses), 4)
		f.InRange(got.Addresses[0], simcloud.ScopePrivate, "10.7.0.0/24")
		f.InRange(got.Addresses[1], simcloud.ScopePrivate, "fd07::/64")
		f.InRange(got.Addresses[2], simcloud.ScopePublic, "198.18.0.0/15")
		f.InRange(got.Addresses[3], simcloud.ScopePublic, "2001:2::/48")
		suite.Drop(f)(f.DeleteInstance(f.Ctx, got.ID))
		six := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: f.Network("fd08::/64").ID})
		f.Equal("addresses in a network of IPv6 alone", len(six.Addresses), 2)
		f.InRange(six.Addresses[0], simcloud.ScopePrivate, "fd08::/64")
		f.InRange(six.Addresses[1], simcloud.ScopePublic, "2001:2::/48")
	})
	s.Test("CreateInstance/NetworkOfItsOwn", func(f *suite.Fixture) {
		network := f.Network("fd08::/64")
		owner := map[netip.Prefix]simcloud.ID{}
		for range 20 {
			instance := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
			own := f.InstanceNetwork(instance.Addresses[1])
			if other, taken := owner[own]; taken {
				f.Errorf("%s and %s are both of %s", other, instance.ID, own)
			}
			owner[own] = instance.ID
		}
	})
	s.Test("CreateInstance/Seed", func(f *suite.Fixture) {
		make := func(seed uint64) []simcloud.Address {
			api := s.Open(f.T, suite.Options{Seed: seed})
			return suite.Must[simcloud.Result[simcloud.Instance]](f)(api.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"})).Resource.Addresses
		}
		one := make(1)
		f.Equal("the same seed", make(1), one)
		if two := make(2); two[0] == one[0] && two[1] == one[1] {
			f.Errorf("seeds 1 and 2 both begin with %v", two)
		}
	})
}
