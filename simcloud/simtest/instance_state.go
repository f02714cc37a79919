package simtest

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type instanceVerb func(simcloud.API, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error)

func testInstanceStates(s suite) {
	s.run("StopInstance/OK", func(f *fixture) {
		instance := f.instance("a")
		r := must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, instance.ID))
		f.equal("state", r.Resource.State, simcloud.InstanceStopped)
		f.equal("addresses stay", r.Resource.Addresses, instance.Addresses)
		f.equal("as read", f.getInstance(instance.ID), r.Resource)
		f.done(r.Operation, "StopInstance", simcloud.KindInstance, instance.ID)
		f.equal("found by its state", instanceIDs(f, simcloud.ListOptions{State: "stopped"}), []simcloud.ID{instance.ID})
		f.equal("found by the old state", instanceIDs(f, simcloud.ListOptions{State: "running"}), []simcloud.ID(nil))
	})
	s.run("StartInstance/OK", func(f *fixture) {
		instance := f.instance("a")
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, instance.ID))
		r := must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.ctx, instance.ID))
		f.equal("state", r.Resource.State, simcloud.InstanceRunning)
		f.done(r.Operation, "StartInstance", simcloud.KindInstance, instance.ID)
	})
	s.run("RebootInstance/OK", func(f *fixture) {
		instance := f.instance("a")
		r := must[simcloud.Result[simcloud.Instance]](f)(f.RebootInstance(f.ctx, instance.ID))
		f.equal("state", r.Resource.State, simcloud.InstanceRunning)
		f.done(r.Operation, "RebootInstance", simcloud.KindInstance, instance.ID)
		if r.Resource.Version <= instance.Version {
			f.Errorf("version %d does not tell of the reboot after %d", r.Resource.Version, instance.Version)
		}
	})
	s.run("RebootInstance/Stopped", func(f *fixture) {
		instance := f.instance("a")
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, instance.ID))
		_, err := f.RebootInstance(f.ctx, instance.ID)
		f.want(err, simcloud.Conflict)
		f.wantResource(err, "instance/"+string(instance.ID))
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
		s.runSlow(verb.name+"/Slow", func(f *fixture) {
			id := f.instance("a").ID
			f.advance(opDuration)
			if verb.stop {
				must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, id))
				f.advance(opDuration)
			}
			r := must[simcloud.Result[simcloud.Instance]](f)(verb.call(f.API, f.ctx, id))
			f.equal("state at first", r.Resource.State, verb.during)
			f.equal("operation of the instance", r.Resource.Operation, r.Operation.ID)
			f.equal("state of the operation", r.Operation.State, simcloud.OperationRunning)
			f.advance(opDuration)
			after := f.getInstance(id)
			f.equal("state in the end", after.State, verb.to)
			f.equal("operation in the end", after.Operation, simcloud.ID(""))
		})
	}
}

func testInstanceDeletion(s suite) {
	s.run("DeleteInstance/OK", func(f *fixture) {
		id := f.instance("a").ID
		op := must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, id))
		f.done(op, "DeleteInstance", simcloud.KindInstance, id)
		_, err := f.GetInstance(f.ctx, id)
		f.want(err, simcloud.NotFound)
		_, err = f.DeleteInstance(f.ctx, id)
		f.want(err, simcloud.NotFound)
		f.equal("the next id", f.instance("a").ID, simcloud.ID("i-2"))
	})
	s.run("DeleteInstance/WhatLedToIt", func(f *fixture) {
		used := f.used()
		must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, used.Instance))
		wantUnused(f, used)
	})
	s.run("RecreateInstance/OK", func(f *fixture) {
		old := f.instanceOf(simcloud.InstanceSpec{Name: "a", Hostname: "h", Zone: "zone-b", Labels: map[string]string{"k": "v"}})
		r := must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, old.ID))
		got := r.Resource
		f.done(r.Operation, "RecreateInstance", simcloud.KindInstance, got.ID)
		f.equal("as read", f.getInstance(got.ID), got)
		f.equal("what stays", []any{got.Name, got.Hostname, got.Type, got.Zone, got.Network, got.Labels},
			[]any{old.Name, old.Hostname, old.Type, old.Zone, old.Network, old.Labels})
		if got.ID == old.ID || got.Addresses[0] == old.Addresses[0] || got.Addresses[1] == old.Addresses[1] {
			f.Errorf("%s with %v is not new after %s with %v", got.ID, got.Addresses, old.ID, old.Addresses)
		}
		_, err := f.GetInstance(f.ctx, old.ID)
		f.want(err, simcloud.NotFound)
	})
	s.run("RecreateInstance/WhatLedToIt", func(f *fixture) {
		used := f.used()
		must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, used.Instance))
		wantUnused(f, used)
	})
	s.runSlow("DeleteInstance/Slow", func(f *fixture) {
		used := f.used()
		op := must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, used.Instance))
		f.equal("state at first", f.getInstance(used.Instance).State, simcloud.InstanceTerminating)
		f.equal("health at first", f.getLoadBalancer(used.LB).Targets[0].Health, simcloud.TargetUnhealthy)
		f.advance(opDuration)
		_, err := f.GetInstance(f.ctx, used.Instance)
		f.want(err, simcloud.NotFound)
		wantUnused(f, used)
		f.equal("operation", must[simcloud.Operation](f)(f.WaitOperation(f.ctx, op.ID)).State, simcloud.OperationDone)
	})
	s.runSlow("RecreateInstance/Slow", func(f *fixture) {
		used := f.used()
		r := must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, used.Instance))
		f.equal("the old one at first", f.getInstance(used.Instance).State, simcloud.InstanceTerminating)
		f.equal("the new one at first", r.Resource.State, simcloud.InstancePending)
		f.advance(opDuration)
		_, err := f.GetInstance(f.ctx, used.Instance)
		f.want(err, simcloud.NotFound)
		f.equal("the new one in the end", f.getInstance(r.Resource.ID).State, simcloud.InstanceRunning)
		wantUnused(f, used)
	})
}

// wantUnused fails the test unless everything that led to the instance knows that it is gone.
func wantUnused(f *fixture, u used) {
	f.Helper()
	targets := f.getLoadBalancer(u.LB).Targets
	f.equal("targets", len(targets), 1)
	f.equal("target", []any{targets[0].Instance, targets[0].Health}, []any{u.Instance, simcloud.TargetUnhealthy})
	fip := f.getFloatingIP(u.FIP)
	f.equal("floating IP", []any{fip.State, fip.AttachedTo}, []any{simcloud.FloatingIPAvailable, simcloud.Attachment{}})
	route := f.getRouteTable("rt-1").Routes[0]
	f.equal("route", []any{route.State, route.NextHop.Instance}, []any{simcloud.RouteBlackhole, u.Instance})
}
