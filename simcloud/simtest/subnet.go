package simtest

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type subnetResult = simcloud.Result[simcloud.Subnet]

func testSubnets(s suite) {
	s.run("GetSubnet/NotFound", func(f *fixture) {
		_, err := f.GetSubnet(f.ctx, "subnet-1")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "subnet/subnet-1")
	})
	s.run("CreateSubnet/OK", func(f *fixture) {
		network := f.network("10.7.0.0/16", "fd07::/48")
		spec := simcloud.SubnetSpec{
			Name: "a", Network: network.ID, CIDR: "10.7.1.0/24", Zone: "zone-b", Labels: map[string]string{"k": "v"},
		}
		r := must[subnetResult](f)(f.CreateSubnet(f.ctx, spec))
		f.done(r.Operation, "CreateSubnet", simcloud.KindSubnet, "subnet-1")
		f.equal("subnet", r.Resource, simcloud.Subnet{
			Meta: r.Resource.Meta, Network: network.ID, CIDR: spec.CIDR, Zone: "zone-b", State: simcloud.NetworkAvailable,
		})
		f.equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"a", spec.Labels})
		f.equal("as read", must[simcloud.Subnet](f)(f.GetSubnet(f.ctx, "subnet-1")), r.Resource)
		f.equal("of the other family", f.subnet(network.ID, "fd07:0:0:1::/64").CIDR, "fd07:0:0:1::/64")
	})
	s.run("CreateSubnet/Defaults", func(f *fixture) {
		subnet := f.subnet("", "10.0.1.0/24")
		f.equal("network and zone", []simcloud.ID{subnet.Network, subnet.Zone}, []simcloud.ID{"net-1", ""})
	})
	s.run("CreateSubnet/WholeNetwork", func(f *fixture) {
		f.subnet(f.network("10.7.0.0/24").ID, "10.7.0.0/24")
	})
	s.run("CreateSubnet/Invalid", func(f *fixture) {
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
				_, err := f.CreateSubnet(f.ctx, spec)
				f.wantField(err, field)
			}
		}
	})
	s.run("CreateSubnet/Overlap", func(f *fixture) {
		subnet := f.subnet("", "10.0.4.0/24")
		for _, cidr := range []string{"10.0.4.0/24", "10.0.4.128/25", "10.0.4.0/22", "10.0.0.0/16"} {
			_, err := f.CreateSubnet(f.ctx, simcloud.SubnetSpec{Name: "b", CIDR: cidr})
			f.want(err, simcloud.Conflict)
		}
		f.subnet("", "10.0.5.0/24")
		f.subnet(f.network("10.0.0.0/16").ID, subnet.CIDR) // another network is another world
	})
	s.run("CreateSubnet/AddressesInUse", func(f *fixture) {
		network := f.network("10.7.0.0/24")
		a := f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		spec := simcloud.SubnetSpec{Name: "s", Network: network.ID, CIDR: "10.7.0.0/24"}
		_, err := f.CreateSubnet(f.ctx, spec)
		f.want(err, simcloud.Conflict)
		drop(f)(f.DeleteInstance(f.ctx, a.ID))
		must[subnetResult](f)(f.CreateSubnet(f.ctx, spec))
	})
	testSubnetDeletion(s)
	testPlacement(s)
	testSubnetAddresses(s)
	testSubnetRanges(s)
}

func testSubnetDeletion(s suite) {
	s.run("DeleteSubnet/OK", func(f *fixture) {
		subnet := f.subnet("", "10.0.1.0/24")
		op := must[simcloud.Operation](f)(f.DeleteSubnet(f.ctx, subnet.ID))
		f.done(op, "DeleteSubnet", simcloud.KindSubnet, subnet.ID)
		_, err := f.GetSubnet(f.ctx, subnet.ID)
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteSubnet/InUse", func(f *fixture) {
		subnet := f.subnet("", "10.0.1.0/24")
		instance := f.instanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID})
		_, err := f.DeleteSubnet(f.ctx, subnet.ID)
		f.want(err, simcloud.InUse)
		f.wantResource(err, "subnet/"+string(subnet.ID))
		drop(f)(f.DeleteInstance(f.ctx, instance.ID))
		drop(f)(f.DeleteSubnet(f.ctx, subnet.ID))
	})
	s.run("DeleteNetwork/InUseBySubnet", func(f *fixture) {
		network := f.network("10.7.0.0/24")
		f.subnet(network.ID, "10.7.0.0/25")
		_, err := f.DeleteNetwork(f.ctx, network.ID)
		f.want(err, simcloud.InUse)
	})
	s.run("DeleteZone/InUseBySubnet", func(f *fixture) {
		must[subnetResult](f)(f.CreateSubnet(f.ctx, simcloud.SubnetSpec{Name: "s", CIDR: "10.0.1.0/24", Zone: "zone-c"}))
		_, err := f.DeleteZone(f.ctx, "zone-c")
		f.want(err, simcloud.InUse)
	})
}

// testPlacement: which instances a subnet takes.
func testPlacement(s suite) {
	s.run("CreateInstance/Subnet", func(f *fixture) {
		network := f.network("10.7.0.0/16", "fd07::/64")
		subnet := f.subnet(network.ID, "10.7.9.0/24")
		for _, spec := range []simcloud.InstanceSpec{
			{Name: "a", Subnet: subnet.ID}, {Name: "a", Subnet: subnet.ID, Network: network.ID, Zone: "zone-c"},
		} {
			got := f.instanceOf(spec)
			f.equal("network and subnet", []simcloud.ID{got.Network, got.Subnet}, []simcloud.ID{network.ID, subnet.ID})
			f.equal("as read", f.getInstance(got.ID), got)
			f.inRange(got.Addresses[0], simcloud.ScopePrivate, subnet.CIDR)
			f.inRange(got.Addresses[1], simcloud.ScopePrivate, "fd07::/64")
			again := must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, got.ID)).Resource
			f.equal("subnet of its successor", again.Subnet, subnet.ID)
			f.inRange(again.Addresses[0], simcloud.ScopePrivate, subnet.CIDR)
		}
	})
	s.run("CreateInstance/SubnetInvalid", func(f *fixture) {
		other := f.network("10.7.0.0/16")
		spec := simcloud.SubnetSpec{Name: "s", CIDR: "10.0.1.0/24", Zone: "zone-b"}
		subnet := must[subnetResult](f)(f.CreateSubnet(f.ctx, spec)).Resource
		for _, spec := range []simcloud.InstanceSpec{
			{Name: "a", Subnet: "subnet-9"}, {Name: "a", Subnet: subnet.ID, Network: other.ID}, {Name: "a", Subnet: subnet.ID, Zone: "zone-a"},
		} {
			_, err := f.CreateInstance(f.ctx, spec)
			f.wantField(err, "subnet")
		}
	})
	s.run("CreateInstance/SubnetZone", func(f *fixture) {
		spec := simcloud.SubnetSpec{Name: "s", CIDR: "10.0.1.0/24", Zone: "zone-b"}
		subnet := must[subnetResult](f)(f.CreateSubnet(f.ctx, spec)).Resource
		for range 2 {
			f.equal("zone", f.instanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID}).Zone, simcloud.ID("zone-b"))
		}
		f.equal("the others take turns as if there were none", f.instance("a").Zone, simcloud.ID("zone-a"))
	})
}

// testSubnetAddresses: an address is either a subnet's or the network's to hand out.
func testSubnetAddresses(s suite) {
	s.run("CreateSubnet/AddressesApart", func(f *fixture) {
		network := f.network("10.7.0.0/27")
		subnet := f.subnet(network.ID, "10.7.0.8/29")
		seen := map[string]bool{}
		fill := func(id simcloud.ID) (n int) {
			for {
				r, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Network: network.ID, Subnet: id, NoPublicAddress: true})
				if err != nil {
					f.want(err, simcloud.Capacity)
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
		f.equal("addresses of the network", fill(""), 32-3-8)
		f.equal("addresses of the subnet", fill(subnet.ID), 8-3)
	})
	s.run("AddInstanceAddress/Subnet", func(f *fixture) {
		network := f.network("10.7.0.0/24")
		subnet := f.subnet(network.ID, "10.7.0.64/26")
		in := f.instanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID})
		out := f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		for address, owner := range map[string]simcloud.ID{"10.7.0.99": in.ID, "10.7.0.199": out.ID} {
			for _, id := range []simcloud.ID{in.ID, out.ID} {
				_, err := f.AddInstanceAddress(f.ctx, id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: address})
				if id != owner {
					f.wantField(err, "address")
				} else if err != nil {
					f.Errorf("%s: %v", address, err)
				}
			}
		}
		more := must[simcloud.Result[simcloud.Instance]](f)(f.AddInstanceAddress(f.ctx, in.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate}))
		f.inRange(more.Resource.Addresses[len(more.Resource.Addresses)-1], simcloud.ScopePrivate, subnet.CIDR)
	})
	s.run("DeleteSubnet/AddressesGoBack", func(f *fixture) {
		network := f.network("10.7.0.0/28")
		subnet := f.subnet(network.ID, "10.7.0.8/29")
		spec := simcloud.InstanceSpec{Name: "a", Network: network.ID, NoPublicAddress: true}
		fill := func(n int) {
			for range n {
				f.instanceOf(spec)
			}
			_, err := f.CreateInstance(f.ctx, spec)
			f.want(err, simcloud.Capacity)
		}
		fill(8 - 2)
		drop(f)(f.DeleteInstance(f.ctx, f.instanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID}).ID))
		drop(f)(f.DeleteSubnet(f.ctx, subnet.ID))
		fill(8 - 1)
	})
}

// testSubnetRanges: what a subnet takes out of a network's range is no longer the network's.
func testSubnetRanges(s suite) {
	s.run("CreateSubnet/AllOfIPv6", func(f *fixture) {
		network := f.network("fd07::/64")
		f.subnet(network.ID, "fd07::/64")
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Network: network.ID})
		f.want(err, simcloud.Capacity)
	})
	s.run("CreateSubnet/FreedAddresses", func(f *fixture) {
		network := f.network("10.7.0.0/29")
		spec := simcloud.InstanceSpec{Name: "a", Network: network.ID, NoPublicAddress: true}
		var made []simcloud.ID
		for range 5 {
			made = append(made, f.instanceOf(spec).ID)
		}
		for _, id := range made {
			drop(f)(f.DeleteInstance(f.ctx, id))
		}
		subnet := f.subnet(network.ID, "10.7.0.0/30") // 2 and 3 of what was freed
		seen := map[string]bool{}
		for range 3 {
			seen[f.instanceOf(spec).Addresses[0].Address] = true
		}
		f.equal("what the network has left", seen, map[string]bool{"10.7.0.4": true, "10.7.0.5": true, "10.7.0.6": true})
		spec.Subnet = subnet.ID
		f.equal("what the subnet has", f.instanceOf(spec).Addresses[0].Address, "10.7.0.2")
	})
	s.run("CreateSubnet/BeginningOfIPv6", func(f *fixture) {
		network := f.network("fd07::/48")
		subnet := f.subnet(network.ID, "fd07::/64")
		other := f.subnet(network.ID, "fd07:0:0:1::/64")
		outside := f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		f.inRange(outside.Addresses[0], simcloud.ScopePrivate, "fd07:0:0:2::/64")
		for _, subnet := range []simcloud.Subnet{subnet, other} {
			inside := f.instanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID})
			f.inRange(inside.Addresses[0], simcloud.ScopePrivate, subnet.CIDR)
		}
	})
}
