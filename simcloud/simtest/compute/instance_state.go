package compute

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type instanceVerb func(simcloud.API, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error)

func testInstanceStates(s suite.Runner) {
	s.Test("StopInstance/OK", func(f *suite.Fixture) {
		instance := f.Instance("a")
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, instance.ID))
		f.Equal("state", r.Resource.State, simcloud.InstanceStopped)
		f.Equal("addresses stay", r.Resource.Addresses, instance.Addresses)
		f.Equal("as read", f.MustGetInstance(instance.ID), r.Resource)
		f.Done(r.Operation, "StopInstance", simcloud.KindInstance, instance.ID)
		f.Equal("found by its state", instanceIDs(f, simcloud.ListOptions{State: "stopped"}), []simcloud.ID{instance.ID})
		f.Equal("found by the old state", instanceIDs(f, simcloud.ListOptions{State: "running"}), []simcloud.ID(nil))
	})
	s.Test("StartInstance/OK", func(f *suite.Fixture) {
		instance := f.Instance("a")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, instance.ID))
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.Ctx, instance.ID))
		f.Equal("state", r.Resource.State, simcloud.InstanceRunning)
		f.Done(r.Operation, "StartInstance", simcloud.KindInstance, instance.ID)
	})
	s.Test("RebootInstance/OK", func(f *suite.Fixture) {
		instance := f.Instance("a")
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RebootInstance(f.Ctx, instance.ID))
		f.Equal("state", r.Resource.State, simcloud.InstanceRunning)
		f.Done(r.Operation, "RebootInstance", simcloud.KindInstance, instance.ID)
		if r.Resource.Version <= instance.Version {
			f.Errorf("version %d does not tell of the reboot after %d", r.Resource.Version, instance.Version)
		}
	})
	s.Test("RebootInstance/Stopped", func(f *suite.Fixture) {
		instance := f.Instance("a")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, instance.ID))
		_, err := f.RebootInstance(f.Ctx, instance.ID)
		f.Want(err, simcloud.Conflict)
		f.WantResource(err, "instance/"+string(instance.ID))
	})
	for _, verb := range []struct {
		name       string
		call       instanceVerb
		stop       bool
		during, to simcloud.InstanceState
	}{
		{"StopInstance", simcloud.API.StopInstance, false, simcloud.InstanceStopping, simcloud.InstanceStopped},
		{"StartInstance", simcloud.API.StartInstance, true, simcloud.InstancePending, simcloud.InstanceRunning},
		{"RebootInstance", simcloud.API.RebootInstance, false, simcloud.InstanceRebooting, simcloud.InstanceRunning},
	} {
		s.TestSlow(verb.name+"/Slow", func(f *suite.Fixture) {
			id := f.Instance("a").ID
			f.Advance(suite.OpDuration)
			if verb.stop {
				suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, id))
				f.Advance(suite.OpDuration)
			}
			r := suite.Must[simcloud.Result[simcloud.Instance]](f)(verb.call(f.API, f.Ctx, id))
			f.Equal("state at first", r.Resource.State, verb.during)
			f.Equal("operation of the instance", r.Resource.Operation, r.Operation.ID)
			f.Equal("state of the operation", r.Operation.State, simcloud.OperationRunning)
			f.Advance(suite.OpDuration)
			after := f.MustGetInstance(id)
			f.Equal("state in the end", after.State, verb.to)
			f.Equal("operation in the end", after.Operation, simcloud.ID(""))
		})
	}
}

func testInstanceDeletion(s suite.Runner) {
	s.Test("DeleteInstance/OK", func(f *suite.Fixture) {
		id := f.Instance("a").ID
		op := suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, id))
		f.Done(op, "DeleteInstance", simcloud.KindInstance, id)
		_, err := f.GetInstance(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
		_, err = f.DeleteInstance(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
		f.Equal("the next id", f.Instance("a").ID, simcloud.ID("i-2"))
	})
	s.Test("DeleteInstance/WhatLedToIt", func(f *suite.Fixture) {
		used := f.Used()
		suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, used.Instance))
		wantUnused(f, used)
	})
	s.Test("RecreateInstance/OK", func(f *suite.Fixture) {
		old := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Hostname: "h", Zone: "zone-b", Labels: map[string]string{"k": "v"}})
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, old.ID))
		got := r.Resource
		f.Done(r.Operation, "RecreateInstance", simcloud.KindInstance, got.ID)
		f.Equal("as read", f.MustGetInstance(got.ID), got)
		f.Equal("what stays", []any{got.Name, got.Hostname, got.Type, got.Zone, got.Network, got.Labels},
			[]any{old.Name, old.Hostname, old.Type, old.Zone, old.Network, old.Labels})
		if got.ID == old.ID || got.Addresses[0] == old.Addresses[0] || got.Addresses[1] == old.Addresses[1] {
			f.Errorf("%s with %v is not new after %s with %v", got.ID, got.Addresses, old.ID, old.Addresses)
		}
		_, err := f.GetInstance(f.Ctx, old.ID)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("RecreateInstance/WhatLedToIt", func(f *suite.Fixture) {
		used := f.Used()
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, used.Instance))
		wantUnused(f, used)
	})
	s.TestSlow("UpdateInstance/WhileBusy", testUpdateWhileBusy)
	s.TestSlow("DeleteInstance/Slow", func(f *suite.Fixture) {
		used := f.Used()
		op := suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, used.Instance))
		f.Equal("state at first", f.MustGetInstance(used.Instance).State, simcloud.InstanceTerminating)
		f.Equal("health at first", f.MustGetLoadBalancer(used.LB).Targets[0].Health, simcloud.TargetUnhealthy)
		f.Advance(suite.OpDuration)
		_, err := f.GetInstance(f.Ctx, used.Instance)
		f.Want(err, simcloud.NotFound)
		wantUnused(f, used)
		f.Equal("operation", suite.Must[simcloud.Operation](f)(f.WaitOperation(f.Ctx, op.ID)).State, simcloud.OperationDone)
	})
	s.TestSlow("RecreateInstance/Slow", func(f *suite.Fixture) {
		used := f.Used()
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, used.Instance))
		f.Equal("the old one at first", f.MustGetInstance(used.Instance).State, simcloud.InstanceTerminating)
		f.Equal("the new one at first", r.Resource.State, simcloud.InstancePending)
		f.Advance(suite.OpDuration)
		_, err := f.GetInstance(f.Ctx, used.Instance)
		f.Want(err, simcloud.NotFound)
		f.Equal("the new one in the end", f.MustGetInstance(r.Resource.ID).State, simcloud.InstanceRunning)
		wantUnused(f, used)
	})
}

// wantUnused fails the test unless everything that led to the instance knows that it is gone.
func wantUnused(f *suite.Fixture, u suite.Used) {
	f.Helper()
	targets := f.MustGetLoadBalancer(u.LB).Targets
	f.Equal("targets", len(targets), 1)
	f.Equal("target", []any{targets[0].Instance, targets[0].Health}, []any{u.Instance, simcloud.TargetUnhealthy})
	fip := f.MustGetFloatingIP(u.FIP)
	f.Equal("floating IP", []any{fip.State, fip.AttachedTo}, []any{simcloud.FloatingIPAvailable, simcloud.Attachment{}})
	route := f.MustGetRouteTable("rt-1").Routes[0]
	f.Equal("route", []any{route.State, route.NextHop.Instance}, []any{simcloud.RouteBlackhole, u.Instance})
}

// testUpdateWhileBusy: what an instance is called and has beside it changes while it stops, which goes on as before.
func testUpdateWhileBusy(f *suite.Fixture) {
	i := f.Instance("a")
	f.Advance(suite.OpDuration)
	stops := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, i.ID)).Resource
	change := simcloud.InstanceUpdate{Options: &map[string]string{"pairs": "x"}}
	_, err := f.UpdateInstance(f.Ctx, i.ID, change)
	f.Want(err, simcloud.Locked)
	suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{ChangesWhileBusy: &[]simcloud.Kind{simcloud.KindInstance}}))
	changed := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, i.ID, change))
	f.Equal("operation of the change", changed.Operation.State, simcloud.OperationDone)
	f.Equal("the change", []any{changed.Resource.State, changed.Resource.Operation, changed.Resource.Options["pairs"]}, []any{stops.State, stops.Operation, "x"})
	_, err = f.UpdateInstance(f.Ctx, i.ID, change, simcloud.IfVersion(1))
	f.Want(err, simcloud.Conflict)
	f.Advance(suite.OpDuration)
	now := suite.Must[simcloud.Instance](f)(f.GetInstance(f.Ctx, i.ID))
	f.Equal("in the end", []any{now.State, now.Options["pairs"]}, []any{simcloud.InstanceStopped, "x"})
	suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, i.ID))
	goes := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, i.ID, simcloud.InstanceUpdate{Options: &map[string]string{}}))
	f.Equal("while it goes", []any{goes.Resource.State, len(goes.Resource.Options)}, []any{simcloud.InstanceTerminating, 0})
	f.Advance(suite.OpDuration)
	_, err = f.GetInstance(f.Ctx, i.ID)
	f.Want(err, simcloud.NotFound)
}
