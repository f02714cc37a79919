package network

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type subnetResult = simcloud.Result[simcloud.Subnet]

func testSubnets(s suite.Runner) {
	s.Test("GetSubnet/NotFound", func(f *suite.Fixture) {
		_, err := f.GetSubnet(f.Ctx, "subnet-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "subnet/subnet-1")
	})
	s.Test("CreateSubnet/OK", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/16", "fd07::/48")
		spec := simcloud.SubnetSpec{
			Name: "a", Network: network.ID, CIDR: "10.7.1.0/24", Zone: "zone-b", Labels: map[string]string{"k": "v"},
		}
		r := suite.Must[subnetResult](f)(f.CreateSubnet(f.Ctx, spec))
		f.Done(r.Operation, "CreateSubnet", simcloud.KindSubnet, "subnet-1")
		f.Equal("subnet", r.Resource, simcloud.Subnet{
			Meta: r.Resource.Meta, Network: network.ID, CIDR: spec.CIDR, Zone: "zone-b", State: simcloud.NetworkAvailable,
		})
		f.Equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"a", spec.Labels})
		f.Equal("as read", suite.Must[simcloud.Subnet](f)(f.GetSubnet(f.Ctx, "subnet-1")), r.Resource)
		f.Equal("of the other family", f.Subnet(network.ID, "fd07:0:0:1::/64").CIDR, "fd07:0:0:1::/64")
	})
	s.Test("UpdateSubnet/OK", func(f *suite.Fixture) {
		before := f.Subnet("", "10.0.1.0/24")
		update := simcloud.SubnetUpdate{Name: suite.Ptr("b"), Labels: &map[string]string{"x": "y"}}
		r := suite.Must[subnetResult](f)(f.UpdateSubnet(f.Ctx, before.ID, update))
		f.Done(r.Operation, "UpdateSubnet", simcloud.KindSubnet, before.ID)
		f.Equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"b", *update.Labels})
		f.Equal("range and zone", []any{r.Resource.CIDR, r.Resource.Zone}, []any{before.CIDR, before.Zone})
		f.Equal("as read", suite.Must[simcloud.Subnet](f)(f.GetSubnet(f.Ctx, before.ID)), r.Resource)
	})
	s.Test("UpdateSubnet/Refused", func(f *suite.Fixture) {
		subnet := f.Subnet("", "10.0.1.0/24")
		_, err := f.UpdateSubnet(f.Ctx, subnet.ID, simcloud.SubnetUpdate{Name: suite.Ptr("-")})
		f.Want(err, simcloud.Invalid)
		_, err = f.UpdateSubnet(f.Ctx, "subnet-9", simcloud.SubnetUpdate{})
		f.Want(err, simcloud.NotFound)
	})
	s.Test("CreateSubnet/Defaults", func(f *suite.Fixture) {
		subnet := f.Subnet("", "10.0.1.0/24")
		f.Equal("network and zone", []simcloud.ID{subnet.Network, subnet.Zone}, []simcloud.ID{"net-1", ""})
	})
	s.Test("CreateSubnet/WholeNetwork", func(f *suite.Fixture) {
		f.Subnet(f.Network("10.7.0.0/24").ID, "10.7.0.0/24")
	})
	s.Test("CreateSubnet/Invalid", func(f *suite.Fixture) {
		for field, specs := range map[string][]simcloud.SubnetSpec{
			"name":    {{Name: "-", CIDR: "10.0.1.0/24"}},
			"network": {{Name: "a", CIDR: "10.0.1.0/24", Network: "net-9"}},
			"zone":    {{Name: "a", CIDR: "10.0.1.0/24", Zone: "zone-z"}},
			"cidr": {
				{Name: "a", CIDR: ""}, {Name: "a", CIDR: "10.0.1.1/24"}, {Name: "a", CIDR: "10.1.0.0/24"},
				{Name: "a", CIDR: "10.0.0.0/15"}, {Name: "a", CIDR: "fd00::/64"},
			},
		} {
			for _, spec := range specs {
				_, err := f.CreateSubnet(f.Ctx, spec)
				f.WantField(err, field)
			}
		}
	})
	s.Test("CreateSubnet/Overlap", func(f *suite.Fixture) {
		subnet := f.Subnet("", "10.0.4.0/24")
		for _, cidr := range []string{"10.0.4.0/24", "10.0.4.128/25", "10.0.4.0/22", "10.0.0.0/16"} {
			_, err := f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "b", CIDR: cidr})
			f.Want(err, simcloud.Conflict)
		}
		f.Subnet("", "10.0.5.0/24")
		f.Subnet(f.Network("10.0.0.0/16").ID, subnet.CIDR) // another network is another world
	})
	s.Test("CreateSubnet/AddressesInUse", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/24")
		a := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		spec := simcloud.SubnetSpec{Name: "s", Network: network.ID, CIDR: "10.7.0.0/24"}
		_, err := f.CreateSubnet(f.Ctx, spec)
		f.Want(err, simcloud.Conflict)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, a.ID))
		suite.Must[subnetResult](f)(f.CreateSubnet(f.Ctx, spec))
	})
	testSubnetDeletion(s)
	testPlacement(s)
	testSubnetAddresses(s)
	testSubnetRanges(s)
}

func testSubnetDeletion(s suite.Runner) {
	s.Test("DeleteSubnet/OK", func(f *suite.Fixture) {
		subnet := f.Subnet("", "10.0.1.0/24")
		op := suite.Must[simcloud.Operation](f)(f.DeleteSubnet(f.Ctx, subnet.ID))
		f.Done(op, "DeleteSubnet", simcloud.KindSubnet, subnet.ID)
		_, err := f.GetSubnet(f.Ctx, subnet.ID)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteSubnet/InUse", func(f *suite.Fixture) {
		subnet := f.Subnet("", "10.0.1.0/24")
		instance := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID})
		_, err := f.DeleteSubnet(f.Ctx, subnet.ID)
		f.Want(err, simcloud.InUse)
		f.WantResource(err, "subnet/"+string(subnet.ID))
		suite.Drop(f)(f.DeleteInstance(f.Ctx, instance.ID))
		suite.Drop(f)(f.DeleteSubnet(f.Ctx, subnet.ID))
	})
	s.Test("DeleteNetwork/InUseBySubnet", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/24")
		f.Subnet(network.ID, "10.7.0.0/25")
		_, err := f.DeleteNetwork(f.Ctx, network.ID)
		f.Want(err, simcloud.InUse)
	})
	s.Test("DeleteZone/InUseBySubnet", func(f *suite.Fixture) {
		suite.Must[subnetResult](f)(f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "s", CIDR: "10.0.1.0/24", Zone: "zone-c"}))
		_, err := f.DeleteZone(f.Ctx, "zone-c")
		f.Want(err, simcloud.InUse)
	})
}

// testPlacement: which instances a subnet takes.
func testPlacement(s suite.Runner) {
	s.Test("CreateInstance/Subnet", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/16", "fd07::/64")
		subnet := f.Subnet(network.ID, "10.7.9.0/24")
		for _, spec := range []simcloud.InstanceSpec{
			{Name: "a", Subnet: subnet.ID}, {Name: "a", Subnet: subnet.ID, Network: network.ID, Zone: "zone-c"},
		} {
			got := f.InstanceOf(spec)
			f.Equal("network and subnet", []simcloud.ID{got.Network, got.Subnet}, []simcloud.ID{network.ID, subnet.ID})
			f.Equal("as read", f.MustGetInstance(got.ID), got)
			f.InRange(got.Addresses[0], simcloud.ScopePrivate, subnet.CIDR)
			f.InRange(got.Addresses[1], simcloud.ScopePrivate, "fd07::/64")
			again := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, got.ID)).Resource
			f.Equal("subnet of its successor", again.Subnet, subnet.ID)
			f.InRange(again.Addresses[0], simcloud.ScopePrivate, subnet.CIDR)
		}
	})
	s.Test("CreateInstance/SubnetInvalid", func(f *suite.Fixture) {
		other := f.Network("10.7.0.0/16")
		spec := simcloud.SubnetSpec{Name: "s", CIDR: "10.0.1.0/24", Zone: "zone-b"}
		subnet := suite.Must[subnetResult](f)(f.CreateSubnet(f.Ctx, spec)).Resource
		for _, spec := range []simcloud.InstanceSpec{
			{Name: "a", Subnet: "subnet-9"}, {Name: "a", Subnet: subnet.ID, Network: other.ID}, {Name: "a", Subnet: subnet.ID, Zone: "zone-a"},
		} {
			_, err := f.CreateInstance(f.Ctx, spec)
			f.WantField(err, "subnet")
		}
	})
	s.Test("CreateInstance/SubnetZone", func(f *suite.Fixture) {
		spec := simcloud.SubnetSpec{Name: "s", CIDR: "10.0.1.0/24", Zone: "zone-b"}
		subnet := suite.Must[subnetResult](f)(f.CreateSubnet(f.Ctx, spec)).Resource
		for range 2 {
			f.Equal("zone", f.InstanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID}).Zone, simcloud.ID("zone-b"))
		}
		f.Equal("the others take turns as if there were none", f.Instance("a").Zone, simcloud.ID("zone-a"))
	})
}

// testSubnetAddresses: an address is either a subnet's or the network's to hand out.
func testSubnetAddresses(s suite.Runner) {
	s.Test("CreateSubnet/AddressesApart", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/27")
		subnet := f.Subnet(network.ID, "10.7.0.8/29")
		seen := map[string]bool{}
		fill := func(id simcloud.ID) (n int) {
			for {
				r, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Network: network.ID, Subnet: id, NoPublicAddress: true})
				if err != nil {
					f.Want(err, simcloud.Capacity)
					return n
				}
				address := r.Resource.Addresses[0].Address
				inside := netip.MustParsePrefix(subnet.CIDR).Contains(netip.MustParseAddr(address))
				if seen[address] || inside != (id != "") {
					f.Errorf("%s: handed out before: %t, in the subnet: %t", address, seen[address], inside)
				}
				seen[address] = true
				n++
			}
		}
		f.Equal("addresses of the network", fill(""), 32-3-8)
		f.Equal("addresses of the subnet", fill(subnet.ID), 8-3)
	})
	s.Test("AddInstanceAddress/Subnet", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/24")
		subnet := f.Subnet(network.ID, "10.7.0.64/26")
		in := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID})
		out := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		for address, owner := range map[string]simcloud.ID{"10.7.0.99": in.ID, "10.7.0.199": out.ID} {
			for _, id := range []simcloud.ID{in.ID, out.ID} {
				_, err := f.AddInstanceAddress(f.Ctx, id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: address})
				if id != owner {
					f.WantField(err, "address")
				} else if err != nil {
					f.Errorf("%s: %v", address, err)
				}
			}
		}
		more := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.AddInstanceAddress(f.Ctx, in.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate}))
		f.InRange(more.Resource.Addresses[len(more.Resource.Addresses)-1], simcloud.ScopePrivate, subnet.CIDR)
	})
	s.Test("DeleteSubnet/AddressesGoBack", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/28")
		subnet := f.Subnet(network.ID, "10.7.0.8/29")
		spec := simcloud.InstanceSpec{Name: "a", Network: network.ID, NoPublicAddress: true}
		fill := func(n int) {
			for range n {
				f.InstanceOf(spec)
			}
			_, err := f.CreateInstance(f.Ctx, spec)
			f.Want(err, simcloud.Capacity)
		}
		fill(8 - 2)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, f.InstanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID}).ID))
		suite.Drop(f)(f.DeleteSubnet(f.Ctx, subnet.ID))
		fill(8 - 1)
	})
}

// testSubnetRanges: what a subnet takes out of a network's range is no longer the network's.
func testSubnetRanges(s suite.Runner) {
	s.Test("CreateSubnet/AllOfIPv6", func(f *suite.Fixture) {
		network := f.Network("fd07::/64")
		f.Subnet(network.ID, "fd07::/64")
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Network: network.ID})
		f.Want(err, simcloud.Capacity)
	})
	s.Test("CreateSubnet/FreedAddresses", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/29")
		spec := simcloud.InstanceSpec{Name: "a", Network: network.ID, NoPublicAddress: true}
		var made []simcloud.ID
		for range 5 {
			made = append(made, f.InstanceOf(spec).ID)
		}
		for _, id := range made {
			suite.Drop(f)(f.DeleteInstance(f.Ctx, id))
		}
		subnet := f.Subnet(network.ID, "10.7.0.0/30") // 2 and 3 of what was freed
		seen := map[string]bool{}
		for range 3 {
			seen[f.InstanceOf(spec).Addresses[0].Address] = true
		}
		f.Equal("what the network has left", seen, map[string]bool{"10.7.0.4": true, "10.7.0.5": true, "10.7.0.6": true})
		spec.Subnet = subnet.ID
		f.Equal("what the subnet has", f.InstanceOf(spec).Addresses[0].Address, "10.7.0.2")
	})
	s.Test("CreateSubnet/BeginningOfIPv6", func(f *suite.Fixture) {
		network := f.Network("fd07::/48")
		subnet := f.Subnet(network.ID, "fd07::/64")
		other := f.Subnet(network.ID, "fd07:0:0:1::/64")
		outside := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		f.InRange(outside.Addresses[0], simcloud.ScopePrivate, "fd07:0:0:2::/64")
		for _, subnet := range []simcloud.Subnet{subnet, other} {
			inside := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID})
			f.InRange(inside.Addresses[0], simcloud.ScopePrivate, subnet.CIDR)
		}
	})
}
