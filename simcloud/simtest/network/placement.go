package network

import (
	"errors"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// halves are a network and two subnets of it, in zone-a and zone-b.
func halves(f *suite.Fixture, cidrs ...string) (simcloud.ID, []simcloud.ID) {
	network := f.Network(append([]string{"10.7.0.0/16"}, cidrs...)...)
	var subnets []simcloud.ID
	for _, spec := range []simcloud.SubnetSpec{{CIDR: "10.7.8.0/24", Zone: "zone-a"}, {CIDR: "10.7.9.0/24", Zone: "zone-b"}} {
		spec.Name, spec.Network = string(spec.Zone), network.ID
		subnets = append(subnets, suite.Must[subnetResult](f)(f.CreateSubnet(f.Ctx, spec)).Resource.ID)
	}
	return network.ID, subnets
}

func inside(network simcloud.ID, placements ...simcloud.LoadBalancerPlacement) simcloud.LoadBalancerSpec {
	return simcloud.LoadBalancerSpec{Name: "lb", Scheme: simcloud.SchemeInternal, Network: network, Placements: placements}
}

func testPlacements(s suite.Runner) {
	s.Test("CreateLoadBalancer/PlacementsInSubnets", func(f *suite.Fixture) {
		network, subnets := halves(f)
		lb := f.LoadBalancer(inside(network, simcloud.LoadBalancerPlacement{Subnet: subnets[0]}, simcloud.LoadBalancerPlacement{Subnet: subnets[1]}))
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), lb)
		f.Equal("VIPs", len(lb.VIPs), 2)
		for i, cidr := range []string{"10.7.8.0/24", "10.7.9.0/24"} {
			vip := lb.VIPs[i]
			f.InRange(simcloud.Address{Scope: simcloud.ScopePrivate, Address: vip.Address}, simcloud.ScopePrivate, cidr)
			f.Equal("the VIP", vip, simcloud.VIP{Address: vip.Address, Network: network, Subnet: subnets[i], Zone: []simcloud.ID{"zone-a", "zone-b"}[i]})
			_, err := f.DeleteSubnet(f.Ctx, subnets[i])
			f.Want(err, simcloud.InUse)
		}
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		suite.Drop(f)(f.DeleteSubnet(f.Ctx, subnets[0]))
	})
	s.Test("CreateLoadBalancer/PlacementsInZones", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/24")
		lb := f.LoadBalancer(inside(network.ID, simcloud.LoadBalancerPlacement{Zone: "zone-b"}, simcloud.LoadBalancerPlacement{Zone: "zone-a"}))
		f.Equal("zones", []simcloud.ID{lb.VIPs[0].Zone, lb.VIPs[1].Zone}, []simcloud.ID{"zone-b", "zone-a"})
		for _, vip := range lb.VIPs {
			f.InRange(simcloud.Address{Scope: simcloud.ScopePrivate, Address: vip.Address}, simcloud.ScopePrivate, "10.7.0.0/24")
		}
	})
	s.Test("CreateLoadBalancer/PlacementAddresses", func(f *suite.Fixture) {
		network, subnets := halves(f)
		spec := inside(network, simcloud.LoadBalancerPlacement{Subnet: subnets[0], Addresses: []string{"10.7.8.9"}},
			simcloud.LoadBalancerPlacement{Subnet: subnets[1], Addresses: []string{"10.7.9.9"}})
		lb := f.LoadBalancer(spec)
		f.Equal("addresses", []string{lb.VIPs[0].Address, lb.VIPs[1].Address}, []string{"10.7.8.9", "10.7.9.9"})
		_, err := f.CreateLoadBalancer(f.Ctx, spec)
		f.Want(err, simcloud.AlreadyExists)
		var taken *simcloud.Error
		if !errors.As(err, &taken) || len(taken.Fields) != 1 || taken.Fields[0].Field != "placements[0].addresses[0]" {
			f.Errorf("%v names no address of the placement", err)
		}
		for _, outside := range []string{"10.7.9.10", "10.7.7.7", "10.7.8.0", "10.7.8.1", "10.7.8.255", "192.168.0.9"} {
			_, err := f.CreateLoadBalancer(f.Ctx, inside(network, simcloud.LoadBalancerPlacement{Subnet: subnets[1]},
				simcloud.LoadBalancerPlacement{Subnet: subnets[0], Addresses: []string{outside}}))
			f.WantField(err, "placements[1].addresses[0]")
		}
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		f.Equal("the same again", f.LoadBalancer(spec).VIPs, lb.VIPs)
	})
	s.Test("CreateLoadBalancer/PlacementsDualStack", func(f *suite.Fixture) {
		network, subnets := halves(f, "fd07::/56")
		lb := f.LoadBalancer(inside(network, simcloud.LoadBalancerPlacement{Subnet: subnets[0]},
			simcloud.LoadBalancerPlacement{Subnet: subnets[1], Families: []int{4, 6}, Addresses: []string{"FD07:0::9"}}))
		f.Equal("VIPs", len(lb.VIPs), 4)
		for i, cidr := range []string{"10.7.8.0/24", "fd07::/56", "10.7.9.0/24", "fd07::/56"} {
			f.InRange(simcloud.Address{Scope: simcloud.ScopePrivate, Address: lb.VIPs[i].Address}, simcloud.ScopePrivate, cidr)
			f.Equal("subnet", lb.VIPs[i].Subnet, subnets[i/2])
		}
		f.Equal("the address that was asked for", lb.VIPs[3].Address, "fd07::9")
		public := f.LoadBalancer(simcloud.LoadBalancerSpec{Network: network, Placements: []simcloud.LoadBalancerPlacement{{Subnet: subnets[0], Families: []int{6, 4}}}})
		f.Equal("pools", []string{public.VIPs[0].Pool, public.VIPs[1].Pool}, []string{"public-v6", "public"})
	})
	s.Test("CreateLoadBalancer/PlacementsPublic", func(f *suite.Fixture) {
		network, subnets := halves(f)
		fip := f.FloatingIP(simcloud.FloatingIPSpec{})
		spec := simcloud.LoadBalancerSpec{
			Name: "lb", Network: network, Placements: []simcloud.LoadBalancerPlacement{{Subnet: subnets[0], FloatingIP: fip.ID}, {Subnet: subnets[1]}},
		}
		lb := f.LoadBalancer(spec)
		f.Equal("VIPs", lb.VIPs, []simcloud.VIP{
			{Address: fip.Address, FloatingIP: fip.ID, Subnet: subnets[0], Zone: "zone-a"},
			{Address: lb.VIPs[1].Address, Pool: "public", Subnet: subnets[1], Zone: "zone-b"},
		})
		f.Equal("the floating IP leads to it", suite.Must[simcloud.FloatingIP](f)(f.GetFloatingIP(f.Ctx, fip.ID)).AttachedTo, suite.ToLoadBalancer(lb.ID))
		f.Equal("it is attached to no network", lb.Networks(), []simcloud.ID(nil))
		_, err := f.CreateLoadBalancer(f.Ctx, spec)
		f.Want(err, simcloud.InUse)
		_, err = f.DeleteSubnet(f.Ctx, subnets[1])
		f.Want(err, simcloud.InUse)
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		f.Equal("the floating IP is free", suite.Must[simcloud.FloatingIP](f)(f.GetFloatingIP(f.Ctx, fip.ID)).State, simcloud.FloatingIPAvailable)
	})
	testPlacementRefusals(s)
	testPlacementChanges(s)
	testPlacementMoves(s)
}

func testPlacementRefusals(s suite.Runner) {
	s.Test("CreateLoadBalancer/PlacementsInvalid", func(f *suite.Fixture) {
		network, subnets := halves(f)
		other := suite.Must[subnetResult](f)(f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "other", Network: "net-1", CIDR: "10.0.8.0/24"})).Resource
		fip, six := f.FloatingIP(simcloud.FloatingIPSpec{}), f.FloatingIP(simcloud.FloatingIPSpec{Family: 6})
		place := func(p ...simcloud.LoadBalancerPlacement) simcloud.LoadBalancerSpec { return inside(network, p...) }
		public := func(p ...simcloud.LoadBalancerPlacement) simcloud.LoadBalancerSpec {
			return simcloud.LoadBalancerSpec{Name: "lb", Network: network, Placements: p}
		}
		both := place(simcloud.LoadBalancerPlacement{Zone: "zone-a"})
		both.Addresses = []string{"10.7.0.9"}
		families := public(simcloud.LoadBalancerPlacement{Zone: "zone-a"})
		families.PublicFamilies = []int{4}
		for _, test := range []struct {
			field string
			spec  simcloud.LoadBalancerSpec
		}{
			{"addresses", both},
			{"publicFamilies", families},
			{"placements[0].subnet", place(simcloud.LoadBalancerPlacement{})},
			{"placements[0].subnet", place(simcloud.LoadBalancerPlacement{Subnet: "subnet-99"})},
			{"placements[0].subnet", place(simcloud.LoadBalancerPlacement{Subnet: other.ID})},
			{"placements[0].zone", place(simcloud.LoadBalancerPlacement{Zone: "zone-z"})},
			{"placements[0].zone", place(simcloud.LoadBalancerPlacement{Subnet: subnets[0], Zone: "zone-b"})},
			{"placements[1]", place(simcloud.LoadBalancerPlacement{Zone: "zone-a"}, simcloud.LoadBalancerPlacement{Zone: "zone-a"})},
			{"placements[1].zone", place(simcloud.LoadBalancerPlacement{Subnet: subnets[0]}, simcloud.LoadBalancerPlacement{Subnet: subnets[0], Zone: "zone-a"})},
			{"placements[0].families[0]", place(simcloud.LoadBalancerPlacement{Zone: "zone-a", Families: []int{5}})},
			{"placements[0].families[1]", place(simcloud.LoadBalancerPlacement{Zone: "zone-a", Families: []int{4, 4}})},
			{"placements[0].families[1]", place(simcloud.LoadBalancerPlacement{Zone: "zone-a", Families: []int{4, 6}})}, // the network has no IPv6
			{"placements[0].addresses[0]", place(simcloud.LoadBalancerPlacement{Zone: "zone-a", Addresses: []string{"x"}})},
			{"placements[0].addresses[0]", place(simcloud.LoadBalancerPlacement{Zone: "zone-a", Addresses: []string{"10.7.8.9"}})}, // it is of a subnet
			{"placements[0].addresses[1]", place(simcloud.LoadBalancerPlacement{Zone: "zone-a", Addresses: []string{"10.7.0.8", "10.7.0.9"}})},
			{"placements[0].addresses[0]", place(simcloud.LoadBalancerPlacement{Zone: "zone-a", Families: []int{4}, Addresses: []string{"fd07::9"}})},
			{"placements[0].addresses", public(simcloud.LoadBalancerPlacement{Zone: "zone-a", Addresses: []string{"10.7.0.9"}})},
			{"placements[0].floatingIP", place(simcloud.LoadBalancerPlacement{Zone: "zone-a", FloatingIP: fip.ID})},
			{"placements[0].floatingIP", public(simcloud.LoadBalancerPlacement{Zone: "zone-a", FloatingIP: "fip-99"})},
			{"placements[0].floatingIP", public(simcloud.LoadBalancerPlacement{Zone: "zone-a", Families: []int{4}, FloatingIP: six.ID})},
			{"placements[1].floatingIP", public(simcloud.LoadBalancerPlacement{Zone: "zone-a", FloatingIP: fip.ID}, simcloud.LoadBalancerPlacement{Zone: "zone-b", FloatingIP: fip.ID})},
		} {
			_, err := f.CreateLoadBalancer(f.Ctx, test.spec)
			f.WantField(err, test.field)
		}
		f.Equal("load balancers", len(suite.Must[simcloud.Page[simcloud.LoadBalancer]](f)(f.ListLoadBalancers(f.Ctx, simcloud.ListOptions{})).Items), 0)
	})
}

// place gives a load balancer other placements.
func place(f *suite.Fixture, id simcloud.ID, placements ...simcloud.LoadBalancerPlacement) (simcloud.LoadBalancer, error) {
	r, err := f.UpdateLoadBalancer(f.Ctx, id, simcloud.LoadBalancerUpdate{Placements: &placements})
	return r.Resource, err
}

func testPlacementChanges(s suite.Runner) {
	s.Test("UpdateLoadBalancer/Placements", func(f *suite.Fixture) {
		network, subnets := halves(f, "fd07::/56")
		first, second := simcloud.LoadBalancerPlacement{Subnet: subnets[0], Families: []int{4}}, simcloud.LoadBalancerPlacement{Subnet: subnets[1], Families: []int{4}}
		lb := f.LoadBalancer(inside(network, first))
		beside := f.Network("10.9.0.0/24")
		lb = suite.Must[simcloud.Result[simcloud.LoadBalancer]](f)(f.AttachLoadBalancerNetwork(f.Ctx, lb.ID, simcloud.NetworkAttachment{Network: beside.ID})).Resource
		more := suite.Must[simcloud.LoadBalancer](f)(place(f, lb.ID, second, first))
		f.Equal("what stays", []simcloud.VIP{more.VIPs[1], more.VIPs[2]}, lb.VIPs)
		f.Equal("what is added", []simcloud.ID{more.VIPs[0].Subnet, more.VIPs[0].Zone}, []simcloud.ID{subnets[1], "zone-b"})
		same := suite.Must[simcloud.LoadBalancer](f)(place(f, lb.ID, second, first))
		f.Equal("the same again is no change", same.Version, more.Version)
		left := suite.Must[simcloud.LoadBalancer](f)(place(f, lb.ID, second))
		f.Equal("what is left", left.VIPs, []simcloud.VIP{more.VIPs[0], lb.VIPs[1]})
		suite.Drop(f)(f.DeleteSubnet(f.Ctx, subnets[0]))
		second.Families = []int{4, 6}
		dual := suite.Must[simcloud.LoadBalancer](f)(place(f, lb.ID, second))
		f.Equal("of both families", []any{dual.VIPs[0], dual.VIPs[1].Subnet, dual.VIPs[1].Family()}, []any{left.VIPs[0], subnets[1], 6})
		second.Addresses = []string{"10.7.9.77"}
		f.Equal("another address", suite.Must[simcloud.LoadBalancer](f)(place(f, lb.ID, second)).VIPs[0].Address, "10.7.9.77")
	})
	s.Test("UpdateLoadBalancer/PlacementFloatingIP", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{})
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Placements: []simcloud.LoadBalancerPlacement{{Zone: "zone-a"}}})
		led := suite.Must[simcloud.LoadBalancer](f)(place(f, lb.ID, simcloud.LoadBalancerPlacement{Zone: "zone-a", FloatingIP: fip.ID}))
		f.Equal("VIPs", led.VIPs, []simcloud.VIP{{Address: fip.Address, FloatingIP: fip.ID, Zone: "zone-a"}})
		f.Equal("its own address is free", f.FloatingIP(simcloud.FloatingIPSpec{Address: lb.VIPs[0].Address}).Address, lb.VIPs[0].Address)
		suite.Must[simcloud.LoadBalancer](f)(place(f, lb.ID, simcloud.LoadBalancerPlacement{Zone: "zone-b"}))
		f.Equal("the floating IP is free", suite.Must[simcloud.FloatingIP](f)(f.GetFloatingIP(f.Ctx, fip.ID)).State, simcloud.FloatingIPAvailable)
	})
	s.Test("UpdateLoadBalancer/PlacementsRefused", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal})
		_, err := place(f, lb.ID, simcloud.LoadBalancerPlacement{Zone: "zone-a"})
		f.Want(err, simcloud.Conflict)
		placed := f.LoadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal, Placements: []simcloud.LoadBalancerPlacement{{Zone: "zone-a"}}})
		for field, bad := range map[string][]simcloud.LoadBalancerPlacement{
			"placements": {}, "placements[0].zone": {{Zone: "zone-z"}}, "placements[0].floatingIP": {{Zone: "zone-a", FloatingIP: "fip-1"}},
		} {
			_, err := place(f, placed.ID, bad...)
			f.WantField(err, field)
		}
		f.Equal("as it was", f.MustGetLoadBalancer(placed.ID), placed)
	})
	s.Test("Seed/Placements", func(f *suite.Fixture) {
		want := simcloud.Topology{
			Networks: &[]simcloud.TopologyNetwork{{
				NetworkSpec: simcloud.NetworkSpec{Name: "default", CIDRs: []string{"10.0.0.0/16"}},
				Subnets:     []simcloud.TopologySubnet{{Name: "s", CIDR: "10.0.8.0/24", Zone: "zone-b"}},
			}},
			LoadBalancers: &[]simcloud.LoadBalancerSpec{{Name: "lb", Scheme: simcloud.SchemeInternal, Placements: []simcloud.LoadBalancerPlacement{{Subnet: "s"}}}},
		}
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		first := f.MustGetLoadBalancer("lb-1")
		f.Equal("zone", first.VIPs[0].Zone, simcloud.ID("zone-b"))
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		f.Equal("it stays", f.MustGetLoadBalancer("lb-1"), first)
		(*want.LoadBalancers)[0].Placements[0].Addresses = []string{"10.0.8.77"}
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		f.Equal("with another address it is replaced", f.MustGetLoadBalancer("lb-2").VIPs[0].Address, "10.0.8.77")
		for field, bad := range map[string]simcloud.LoadBalancerPlacement{
			"loadBalancers[0].placements[0].subnet": {Subnet: "x"}, "loadBalancers[0].placements[0].floatingIP": {Subnet: "s", FloatingIP: "f"},
		} {
			(*want.LoadBalancers)[0].Placements[0] = bad
			_, err := f.Control().Seed(f.Ctx, want)
			f.WantField(err, field)
		}
	})
}

// testPlacementMoves is about a floating IP that leads in by another placement than before.
func testPlacementMoves(s suite.Runner) {
	s.Test("UpdateLoadBalancer/PlacementFloatingIPMoves", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{})
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Placements: []simcloud.LoadBalancerPlacement{{Zone: "zone-a", FloatingIP: fip.ID}, {Zone: "zone-b"}}})
		moved := suite.Must[simcloud.LoadBalancer](f)(place(f, lb.ID, simcloud.LoadBalancerPlacement{Zone: "zone-a"}, simcloud.LoadBalancerPlacement{Zone: "zone-b", FloatingIP: fip.ID}))
		var at []simcloud.ID
		for _, vip := range moved.VIPs {
			if vip.Address == fip.Address {
				at = append(at, vip.Zone)
			}
		}
		f.Equal("where the floating IP leads in", at, []simcloud.ID{"zone-b"})
		f.Equal("addresses", len(moved.VIPs), 2)
	})
}
