package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type instanceResult = simcloud.Result[simcloud.Instance]

// join attaches an instance to a network.
func join(f *suite.Fixture, id simcloud.ID, to simcloud.NetworkAttachment) simcloud.Instance {
	f.Helper()
	return suite.Must[instanceResult](f)(f.AttachInstanceNetwork(f.Ctx, id, to)).Resource
}

func testInstanceNetworks(s suite.Runner) {
	s.Test("AttachInstanceNetwork/OK", func(f *suite.Fixture) {
		network, _ := inSubnet(f)
		before := f.Instance("a")
		r := suite.Must[instanceResult](f)(f.AttachInstanceNetwork(f.Ctx, before.ID, simcloud.NetworkAttachment{Network: network.ID}))
		f.Done(r.Operation, "AttachInstanceNetwork", simcloud.KindInstance, before.ID)
		f.Equal("as read", f.MustGetInstance(before.ID), r.Resource)
		f.Equal("networks", r.Resource.Networks(), []simcloud.ID{before.Network, network.ID})
		got := r.Resource.Addresses
		if len(got) != 4 {
			f.Fatalf("the instance has the addresses %+v, want its own two and one of each family of the network", got)
		}
		f.Equal("those before", got[:2], before.Addresses)
		for i, cidr := range network.CIDRs {
			f.InRange(got[2+i], simcloud.ScopePrivate, cidr)
			f.Equal("where it is from", []simcloud.ID{got[2+i].Network, got[2+i].Subnet}, []simcloud.ID{network.ID, ""})
		}
	})
	s.Test("AttachInstanceNetwork/Subnet", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		for name, to := range map[string]simcloud.NetworkAttachment{
			"a": {Network: network.ID, Subnet: subnet.ID},
			"b": {Network: network.ID, Address: "10.7.1.77"},
		} {
			got := join(f, f.Instance(name).ID, to).Addresses
			f.InRange(got[2], simcloud.ScopePrivate, subnet.CIDR)
			f.Equal("subnets", []simcloud.ID{got[2].Subnet, got[3].Subnet}, []simcloud.ID{subnet.ID, ""})
			if to.Address != "" {
				f.Equal("the address", got[2].Address, to.Address)
			}
		}
		_, err := f.DeleteSubnet(f.Ctx, subnet.ID)
		f.Want(err, simcloud.InUse)
	})
	testInstanceNetworkRefusals(s)
	testInstanceNetworkAddresses(s)
	testInstanceDetachment(s)
	testInstanceNetworkLife(s)
	testReferences(s)
}

func testInstanceNetworkRefusals(s suite.Runner) {
	s.Test("AttachInstanceNetwork/Refused", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		before := f.Instance("a")
		other := suite.Must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{
			Name: "zonal", Network: network.ID, CIDR: "10.7.9.0/24", Zone: "zone-b",
		})).Resource
		for _, wrong := range []struct {
			field string
			to    simcloud.NetworkAttachment
		}{
			{"network", simcloud.NetworkAttachment{}},
			{"network", simcloud.NetworkAttachment{Network: "net-9"}},
			{"subnet", simcloud.NetworkAttachment{Network: network.ID, Subnet: "subnet-9"}},
			{"subnet", simcloud.NetworkAttachment{Network: network.ID, Subnet: other.ID}}, // of another zone
			{"address", simcloud.NetworkAttachment{Network: network.ID, Address: "ten"}},
			{"address", simcloud.NetworkAttachment{Network: network.ID, Address: "10.8.0.9"}},
			{"address", simcloud.NetworkAttachment{Network: network.ID, Address: "10.7.2.9", Subnet: subnet.ID}},
		} {
			_, err := f.AttachInstanceNetwork(f.Ctx, before.ID, wrong.to)
			f.WantField(err, wrong.field)
		}
		_, err := f.AttachInstanceNetwork(f.Ctx, before.ID, simcloud.NetworkAttachment{Network: before.Network})
		f.Want(err, simcloud.AlreadyExists)
		_, err = f.AttachInstanceNetwork(f.Ctx, "i-9", simcloud.NetworkAttachment{Network: network.ID})
		f.Want(err, simcloud.NotFound)
		f.Equal("the instance", f.MustGetInstance(before.ID), before)
		join(f, before.ID, simcloud.NetworkAttachment{Network: network.ID})
		_, err = f.AttachInstanceNetwork(f.Ctx, before.ID, simcloud.NetworkAttachment{Network: network.ID, Subnet: subnet.ID})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("AttachInstanceNetwork/Overlap", func(f *suite.Fixture) {
		before := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: f.Network("10.7.0.0/16").ID})
		_, err := f.AttachInstanceNetwork(f.Ctx, before.ID, simcloud.NetworkAttachment{Network: f.Network("10.7.8.0/24", "fd07::/64").ID})
		f.Want(err, simcloud.Conflict)
		f.Equal("the instance", f.MustGetInstance(before.ID), before)
	})
	s.Test("AttachInstanceNetwork/Full", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/30") // one address
		join(f, f.Instance("a").ID, simcloud.NetworkAttachment{Network: network.ID})
		before := f.Instance("b")
		_, err := f.AttachInstanceNetwork(f.Ctx, before.ID, simcloud.NetworkAttachment{Network: network.ID})
		f.Want(err, simcloud.Capacity)
		f.Equal("the instance", f.MustGetInstance(before.ID), before)
	})
}

// testInstanceNetworkAddresses: single addresses of a network to which an instance was attached.
func testInstanceNetworkAddresses(s suite.Runner) {
	s.Test("AddInstanceAddress/Network", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		id := join(f, f.Instance("a").ID, simcloud.NetworkAttachment{Network: network.ID, Subnet: subnet.ID}).ID
		first := f.MustGetInstance(id).Addresses[2]
		spec := simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Network: network.ID}
		got := f.Add(id, spec)
		f.InRange(got, simcloud.ScopePrivate, subnet.CIDR)
		f.Equal("where it is from", []simcloud.ID{got.Network, got.Subnet}, []simcloud.ID{network.ID, subnet.ID})
		six := f.Add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Network: network.ID, Address: "fd07::77"})
		f.Equal("the one of IPv6", six, simcloud.Address{Scope: simcloud.ScopePrivate, Address: "fd07::77", Network: network.ID})

		suite.Must[instanceResult](f)(f.RemoveInstanceAddress(f.Ctx, id, simcloud.ID(first.Address)))
		again := f.Add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Network: network.ID, Address: first.Address})
		f.Equal("it can be had again", again, first)
	})
	s.Test("AddInstanceAddress/OtherNetwork", func(f *suite.Fixture) {
		id := f.Instance("a").ID
		_, err := f.AddInstanceAddress(f.Ctx, id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Network: f.Network("10.7.0.0/16").ID})
		f.WantField(err, "network")
		_, err = f.AddInstanceAddress(f.Ctx, id, simcloud.AddressSpec{Scope: simcloud.ScopePublic, Network: "net-1"})
		f.WantField(err, "network")
		f.Equal("its own by name", f.Add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Network: "net-1"}).Network, simcloud.ID(""))
	})
	s.Test("RemoveInstanceAddress/LastOfNetwork", func(f *suite.Fixture) {
		instance := join(f, f.Instance("a").ID, simcloud.NetworkAttachment{Network: f.Network("10.7.0.0/16").ID})
		for _, i := range []int{0, 2} { // of its own network, and of the attached one
			_, err := f.RemoveInstanceAddress(f.Ctx, instance.ID, simcloud.ID(instance.Addresses[i].Address))
			f.Want(err, simcloud.Conflict)
		}
		f.Equal("the instance", f.MustGetInstance(instance.ID), instance)
	})
}

func testInstanceDetachment(s suite.Runner) {
	s.Test("DetachInstanceNetwork/OK", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/30") // one address
		before := f.Instance("a")
		joined := join(f, before.ID, simcloud.NetworkAttachment{Network: network.ID})
		_, err := f.DeleteNetwork(f.Ctx, network.ID)
		f.Want(err, simcloud.InUse)
		r := suite.Must[instanceResult](f)(f.DetachInstanceNetwork(f.Ctx, before.ID, network.ID))
		f.Done(r.Operation, "DetachInstanceNetwork", simcloud.KindInstance, before.ID)
		f.Equal("addresses", r.Resource.Addresses, before.Addresses)
		other := join(f, f.Instance("b").ID, simcloud.NetworkAttachment{Network: network.ID})
		f.Equal("the address was free", other.Addresses[2], joined.Addresses[2])
		suite.Drop(f)(f.DeleteInstance(f.Ctx, other.ID))
		suite.Drop(f)(f.DeleteNetwork(f.Ctx, network.ID))
	})
	s.Test("DetachInstanceNetwork/Refused", func(f *suite.Fixture) {
		before := f.Instance("a")
		_, err := f.DetachInstanceNetwork(f.Ctx, before.ID, before.Network)
		f.Want(err, simcloud.Conflict)
		_, err = f.DetachInstanceNetwork(f.Ctx, before.ID, f.Network("10.7.0.0/16").ID)
		f.Want(err, simcloud.NotFound)
		f.Equal("the instance", f.MustGetInstance(before.ID), before)
	})
	s.Test("DetachInstanceNetwork/Targets", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/16")
		there := simcloud.NetworkAttachment{Network: network.ID}
		a, b := join(f, f.Instance("a").ID, there).ID, join(f, f.Instance("b").ID, there).ID
		targets := []simcloud.TargetSpec{{Instance: a, UsePrivateIP: true}, {Instance: b, UsePrivateIP: true}}
		one := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "one", Networks: []simcloud.NetworkAttachment{there}, Targets: targets})
		both := f.LoadBalancer(simcloud.LoadBalancerSpec{
			Name: "both", Networks: []simcloud.NetworkAttachment{there, {Network: "net-1"}}, Targets: targets,
		})
		suite.Must[instanceResult](f)(f.DetachInstanceNetwork(f.Ctx, a, network.ID))
		of := func(id simcloud.ID) (all []simcloud.ID) {
			for _, target := range f.MustGetLoadBalancer(id).Targets {
				all = append(all, target.Instance)
			}
			return all
		}
		f.Equal("targets of the one that reached it there", of(one.ID), []simcloud.ID{b})
		f.Equal("targets of the one that reaches it elsewhere", of(both.ID), []simcloud.ID{a, b})
		_, err := f.CreateTarget(f.Ctx, one.ID, targets[0])
		f.Want(err, simcloud.Conflict)
	})
}

// testInstanceNetworkLife: attachments from the creation of an instance to the next one in its place.
func testInstanceNetworkLife(s suite.Runner) {
	s.Test("CreateInstance/Networks", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		got := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Networks: []simcloud.NetworkAttachment{{Network: network.ID, Subnet: subnet.ID}}})
		f.Equal("networks", got.Networks(), []simcloud.ID{"net-1", network.ID})
		f.Equal("subnet", got.Addresses[2].Subnet, subnet.ID)
		for field, networks := range map[string][]simcloud.NetworkAttachment{
			"networks[1].network": {{Network: network.ID}, {Network: network.ID}},
			"networks[0].address": {{Network: network.ID, Address: "10.1.0.9"}},
		} {
			_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "b", Networks: networks})
			f.WantField(err, field)
		}
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "b", Networks: []simcloud.NetworkAttachment{{Network: "net-1"}}})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("RecreateInstance/Networks", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		old := join(f, f.Instance("a").ID, simcloud.NetworkAttachment{Network: network.ID, Subnet: subnet.ID})
		after := suite.Must[instanceResult](f)(f.RecreateInstance(f.Ctx, old.ID)).Resource
		f.Equal("networks", after.Networks(), old.Networks())
		f.Equal("subnet", after.Addresses[2].Subnet, subnet.ID)
		if after.Addresses[2].Address == old.Addresses[2].Address {
			f.Errorf("the new instance has the address %s of the old one", old.Addresses[2].Address)
		}
	})
	s.Test("MigrateInstance/AttachedSubnet", func(f *suite.Fixture) {
		network, _ := inSubnet(f)
		zonal := suite.Must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{
			Name: "zonal", Network: network.ID, CIDR: "10.7.9.0/24", Zone: "zone-a",
		})).Resource
		instance := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Zone: "zone-a"})
		join(f, instance.ID, simcloud.NetworkAttachment{Network: network.ID, Subnet: zonal.ID})
		_, err := f.MigrateInstance(f.Ctx, instance.ID, simcloud.InstanceMigration{Zone: "zone-b"})
		f.Want(err, simcloud.Conflict)
		suite.Must[instanceResult](f)(f.DetachInstanceNetwork(f.Ctx, instance.ID, network.ID))
		suite.Must[instanceResult](f)(f.MigrateInstance(f.Ctx, instance.ID, simcloud.InstanceMigration{Zone: "zone-b"}))
	})
	s.Test("CreateRoute/AttachedNetwork", func(f *suite.Fixture) {
		routeRules(f, simcloud.RouteGatewayInNetwork)
		network := f.Network("10.7.0.0/16")
		table := suite.Must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRouteTable(f.Ctx, simcloud.RouteTableSpec{Name: "t", Network: network.ID})).Resource
		id := f.Instance("a").ID
		route := simcloud.RouteSpec{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Instance: id}}
		_, err := f.CreateRoute(f.Ctx, table.ID, route)
		f.WantField(err, "nextHop.instance")
		join(f, id, simcloud.NetworkAttachment{Network: network.ID})
		suite.Must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRoute(f.Ctx, table.ID, route))
	})
}
