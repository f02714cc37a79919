package simtest

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func testAddresses(s suite) {
	s.run("CreateFloatingIP/FreedLast", func(f *fixture) {
		first := f.floatingIP(simcloud.FloatingIPSpec{})
		must[simcloud.Operation](f)(f.DeleteFloatingIP(f.ctx, first.ID))
		if again := f.floatingIP(simcloud.FloatingIPSpec{}); again.Address == first.Address {
			f.Errorf("%s was handed out again while others were free", again.Address)
		}
	})
	s.run("CreateInstance/AddressesReused", func(f *fixture) {
		network := f.network("10.9.0.0/29")
		make := func() simcloud.Instance {
			return f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID, NoPublicAddress: true})
		}
		var all []simcloud.Instance
		var addresses []string
		for range 5 {
			instance := make()
			all, addresses = append(all, instance), append(addresses, instance.Addresses[0].Address)
		}
		sorted := slices.Sorted(slices.Values(addresses))
		f.equal("all but network, gateway and broadcast", sorted, []string{"10.9.0.2", "10.9.0.3", "10.9.0.4", "10.9.0.5", "10.9.0.6"})
		for _, i := range []int{3, 1} {
			must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, all[i].ID))
		}
		f.equal("reused in the order of their release", []string{make().Addresses[0].Address, make().Addresses[0].Address},
			[]string{addresses[3], addresses[1]})
	})
	s.run("CreateLoadBalancer/AddressesFreed", func(f *fixture) {
		network := f.network("10.9.0.0/30") // one address
		spec := simcloud.LoadBalancerSpec{Name: "lb", Scheme: simcloud.SchemeInternal, Network: network.ID}
		lb := f.loadBalancer(spec)
		_, err := f.CreateLoadBalancer(f.ctx, spec)
		f.want(err, simcloud.Capacity)
		must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.ctx, lb.ID))
		f.equal("VIPs", f.loadBalancer(spec).VIPs, lb.VIPs)
	})
	s.run("CreateLoadBalancer/Addresses", func(f *fixture) {
		network := f.network("10.9.0.0/24", "fd09::/64")
		spec := simcloud.LoadBalancerSpec{Name: "lb", Scheme: simcloud.SchemeInternal, Network: network.ID, Addresses: []string{"FD09:0::9"}}
		lb := f.loadBalancer(spec)
		f.equal("VIPs", len(lb.VIPs), 2)
		f.equal("the IPv6 address", lb.VIPs[1].Address, "fd09::9")
		_, err := f.CreateLoadBalancer(f.ctx, spec)
		f.want(err, simcloud.AlreadyExists)
		for field, bad := range map[string][]string{
			"addresses[0]": {"10.10.0.9"}, "addresses[1]": {"fd09::8", "10.9.0.1"},
		} {
			wrong := spec
			wrong.Addresses = bad
			_, err := f.CreateLoadBalancer(f.ctx, wrong)
			f.wantField(err, field)
		}
		must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.ctx, lb.ID))
		f.equal("VIPs after a deletion", f.loadBalancer(spec).VIPs[1].Address, "fd09::9")
	})
	s.run("CreateInstance/DualStack", func(f *fixture) {
		network := f.network("10.7.0.0/24", "fd07::/64")
		got := f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		f.equal("addresses", len(got.Addresses), 4)
		f.inRange(got.Addresses[0], simcloud.ScopePrivate, "10.7.0.0/24")
		f.inRange(got.Addresses[1], simcloud.ScopePrivate, "fd07::/64")
		f.inRange(got.Addresses[2], simcloud.ScopePublic, "198.18.0.0/15")
		f.inRange(got.Addresses[3], simcloud.ScopePublic, "2001:2::/48")
		drop(f)(f.DeleteInstance(f.ctx, got.ID))
		six := f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: f.network("fd08::/64").ID})
		f.equal("addresses in a network of IPv6 alone", len(six.Addresses), 2)
		f.inRange(six.Addresses[0], simcloud.ScopePrivate, "fd08::/64")
		f.inRange(six.Addresses[1], simcloud.ScopePublic, "2001:2::/48")
	})
	s.run("CreateInstance/Seed", func(f *fixture) {
		make := func(seed uint64) []simcloud.Address {
			api := s.open(f.T, Options{Seed: seed})
			return must[simcloud.Result[simcloud.Instance]](f)(api.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})).Resource.Addresses
		}
		one := make(1)
		f.equal("the same seed", make(1), one)
		if two := make(2); two[0] == one[0] && two[1] == one[1] {
			f.Errorf("seeds 1 and 2 both begin with %v", two)
		}
	})
}
