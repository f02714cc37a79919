package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// testAddressTargets: a target can be an address, of a machine that the cloud does not have.
func testAddressTargets(s suite.Runner) {
	s.Test("CreateTarget/Address", func(f *suite.Fixture) {
		a := f.Instance("a")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Address: "192.0.2.1"}, {Instance: a.ID}}})
		first := simcloud.Target{Address: "192.0.2.1", Weight: 1, Health: simcloud.TargetHealthy}
		f.Equal("at first", lb.Targets[0], first)
		r := suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Address: "2001:DB8:0::1", Weight: 2}))
		f.Equal("added", r.Resource.Targets[2], simcloud.Target{Address: "2001:db8::1", Weight: 2, Health: simcloud.TargetHealthy})
		_, err := f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Address: "2001:db8::0001"})
		f.Want(err, simcloud.AlreadyExists)
		r = suite.Must[lbResult](f)(f.DeleteTarget(f.Ctx, lb.ID, "2001:db8::0001"))
		f.Equal("left", r.Resource.Targets, lb.Targets)
		_, err = f.DeleteTarget(f.Ctx, lb.ID, "192.0.2.9")
		f.Want(err, simcloud.NotFound)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, a.ID)) // which does not concern the address
		f.Equal("after the deletion of another target", f.MustGetLoadBalancer(lb.ID).Targets[0], first)
		f.Check()
	})
	s.Test("CreateTarget/AddressInvalid", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		for _, spec := range []simcloud.TargetSpec{
			{Address: "x"}, {Address: "0.0.0.0"}, {Address: "224.0.0.1"}, {Address: "fe80::1%eth0"}, {Address: "::ffff:192.0.2.1"},
			{Address: "192.0.2.1", Instance: f.Instance("a").ID},
		} {
			_, err := f.CreateTarget(f.Ctx, lb.ID, spec)
			f.WantField(err, "address")
		}
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "b", Targets: []simcloud.TargetSpec{{Address: "2001:db8::1"}, {Address: "2001:db8:0::1"}}})
		f.WantField(err, "targets[1].address")
	})
	s.Test("CreateTarget/AddressPrivate", testPrivateAddressTarget)
	s.TestOn("ReportTargetHealth/Address", reporting, func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Address: "2001:db8::1"}}})
		reportHealth(f, lb.ID, "2001:db8::1", simcloud.TargetUnhealthy)
		f.Equal("health", f.Health(lb.ID), simcloud.TargetUnhealthy)
		f.Check()
	})
	testGroupAddressTargets(s)
}

// testPrivateAddressTarget: a private address is in a network of the load balancer, and its target goes with the network.
func testPrivateAddressTarget(f *suite.Fixture) {
	network := suite.Must[simcloud.Network](f)(f.GetNetwork(f.Ctx, "net-1"))
	f.Equal("ranges", network.CIDRs, []string{"10.0.0.0/16"})
	private := simcloud.TargetSpec{Address: "10.0.200.21", UsePrivateIP: true}
	lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Address: "192.0.2.1"}}})
	_, err := f.CreateTarget(f.Ctx, lb.ID, private)
	f.Want(err, simcloud.Conflict) // no network
	attach(f, lb.ID, simcloud.NetworkAttachment{Network: "net-1"})
	_, err = f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Address: "10.99.0.1", UsePrivateIP: true})
	f.Want(err, simcloud.Conflict)
	suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, private))
	_, err = setPublic(f, lb.ID, true)
	f.Want(err, simcloud.Conflict) // the public address could not be reached
	f.Check()
	suite.Must[lbResult](f)(f.DetachLoadBalancerNetwork(f.Ctx, lb.ID, "net-1"))
	f.Equal("without the network", f.MustGetLoadBalancer(lb.ID).Targets, lb.Targets)
	suite.Must[lbResult](f)(f.DeleteTarget(f.Ctx, lb.ID, "192.0.2.1"))
	attach(f, lb.ID, simcloud.NetworkAttachment{Network: "net-1"})
	suite.Must[lbResult](f)(setPublic(f, lb.ID, true))
	_, err = f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Address: "192.0.2.1"})
	f.Want(err, simcloud.Conflict)
	suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, private))
	f.Check()
}

func testGroupAddressTargets(s suite.Runner) {
	s.Test("AddGroupTargets/Address", func(f *suite.Fixture) {
		a := f.Instance("a")
		id := f.TargetGroup(80, simcloud.GroupTargetSpec{Address: "10.0.200.21"}, simcloud.GroupTargetSpec{Instance: a.ID}).ID
		f.Want(addGroupTargets(f, id, simcloud.GroupTargetSpec{Address: "2001:DB8::1", Port: 81}), "")
		f.Want(addGroupTargets(f, id, simcloud.GroupTargetSpec{Address: "2001:db8:0::1", Port: 81}), simcloud.AlreadyExists)
		f.WantField(addGroupTargets(f, id, simcloud.GroupTargetSpec{Address: "2001:db8::2", Instance: a.ID}), "targets[0].address")
		f.WantField(addGroupTargets(f, id, simcloud.GroupTargetSpec{Address: "192.0.2.1"}, simcloud.GroupTargetSpec{Address: "192.0.2.1"}), "targets[1].address")
		suite.Drop(f)(f.DeleteInstance(f.Ctx, a.ID))
		f.Check()
		group := suite.Must[simcloud.TargetGroup](f)(removeGroupTargets(f, id, simcloud.GroupTargetSpec{Instance: a.ID}, simcloud.GroupTargetSpec{Address: "10.0.200.21"}))
		f.Equal("left", group.Targets, []simcloud.GroupTarget{{
			GroupTargetSpec: simcloud.GroupTargetSpec{Address: "2001:db8::1", Port: 81, Weight: 1}, Health: simcloud.TargetHealthy,
		}})
	})
	s.TestOn("ReportGroupTargetHealth/Address", reporting, func(f *suite.Fixture) {
		id := f.TargetGroup(80, simcloud.GroupTargetSpec{Address: "10.0.200.21"}).ID
		if err := f.Control().ReportGroupTargetHealth(f.Ctx, id, "10.0.200.21", 80, simcloud.TargetUnhealthy); err != nil {
			f.Fatal(err)
		}
		f.Equal("health", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id)).Targets[0].Health, simcloud.TargetUnhealthy)
		f.Check()
	})
}
