package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

func testZoneStates(s suite) {
	s.run("SetZoneState/OK", func(f *fixture) {
		r := must[zoneResult](f)(f.SetZoneState(f.ctx, "zone-b", simcloud.ZoneStateSpec{State: simcloud.ZoneDegraded}))
		f.done(r.Operation, "SetZoneState", simcloud.KindZone, "zone-b")
		f.equal("state", r.Resource.State, simcloud.ZoneDegraded)
		f.equal("as read", must[simcloud.Zone](f)(f.GetZone(f.ctx, "zone-b")), r.Resource)
	})
	s.run("SetZoneState/Invalid", func(f *fixture) {
		_, err := f.SetZoneState(f.ctx, "zone-b", simcloud.ZoneStateSpec{State: "happy"})
		f.wantField(err, "state")
	})
	s.run("SetZoneState/Region", func(f *fixture) {
		for _, step := range []struct {
			zone         simcloud.ID
			state, wants simcloud.ZoneState
		}{
			{"zone-a", simcloud.ZoneDegraded, simcloud.ZoneDegraded},
			{"zone-a", simcloud.ZoneDown, simcloud.ZoneDegraded},
			{"zone-b", simcloud.ZoneDown, simcloud.ZoneDegraded},
			{"zone-c", simcloud.ZoneDown, simcloud.ZoneDown},
			{"zone-c", simcloud.ZoneAvailable, simcloud.ZoneDegraded},
		} {
			f.setZone(step.zone, step.state)
			f.equal("the region with "+string(step.zone)+" "+string(step.state), regionState(f), step.wants)
		}
		drop(f)(f.DeleteZone(f.ctx, "zone-c"))
		f.equal("the region without its last zone that is up", regionState(f), simcloud.ZoneDown)
		must[zoneResult](f)(f.CreateZone(f.ctx, simcloud.ZoneSpec{Name: "zone-d", Region: "region-1"}))
		f.equal("the region with a new zone", regionState(f), simcloud.ZoneDegraded)
	})
	s.run("SetZoneState/Degraded", func(f *fixture) {
		f.setZone("zone-a", simcloud.ZoneDegraded)
		f.equal("zones", []simcloud.ID{f.instance("a").Zone, f.instance("a").Zone, f.instance("a").Zone},
			[]simcloud.ID{"zone-b", "zone-c", "zone-b"})
		got := f.in("zone-a")
		f.equal("one that is there", []any{got.State, got.Unreachable}, []any{simcloud.InstanceRunning, false})
	})
	testZoneDown(s)
}

func regionState(f *fixture) simcloud.ZoneState {
	f.Helper()
	return must[simcloud.Region](f)(f.GetRegion(f.ctx, "region-1")).State
}

// outage is what an outage of zone-b meets.
type outage struct{ down, stopped, elsewhere, lb simcloud.ID }

func makeOutage(f *fixture) outage {
	f.Helper()
	o := outage{down: f.in("zone-b").ID, stopped: f.in("zone-b").ID, elsewhere: f.in("zone-a").ID}
	must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, o.stopped))
	o.lb = f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{
		{Instance: o.down}, {Instance: o.stopped}, {Instance: o.elsewhere},
	}}).ID
	return o
}

// health is that of the three targets, in their order.
func (o outage) health(f *fixture) []simcloud.TargetHealth {
	f.Helper()
	var all []simcloud.TargetHealth
	for _, target := range f.getLoadBalancer(o.lb).Targets {
		all = append(all, target.Health)
	}
	return all
}

func testZoneDown(s suite) {
	s.run("SetZoneState/Down", func(f *fixture) {
		o := makeOutage(f)
		before := f.getInstance(o.down)
		f.equal("events", f.storyOf(func() { f.setZone("zone-b", simcloud.ZoneDown) }),
			[]string{"updated zone/zone-b", "updated instance/i-1", "updated load_balancer/lb-1", "updated region/region-1"})
		got := f.getInstance(o.down)
		f.equal("instance", []any{got.State, got.Unreachable, got.StatusText}, []any{simcloud.InstanceRunning, true, "zone zone-b is down"})
		f.equal("one that does not run", f.getInstance(o.stopped).Unreachable, false)
		f.equal("one elsewhere", f.getInstance(o.elsewhere).Unreachable, false)
		f.equal("health", o.health(f), []simcloud.TargetHealth{simcloud.TargetDraining, simcloud.TargetUnhealthy, simcloud.TargetHealthy})
		late := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: o.down}}})
		f.equal("health in a new load balancer", late.Targets[0].Health, simcloud.TargetDraining)

		f.setZone("zone-b", simcloud.ZoneAvailable)
		after := f.getInstance(o.down)
		after.Version, after.Updated = before.Version, before.Updated
		f.equal("once it is up", after, before)
		f.equal("health once it is up", o.health(f), []simcloud.TargetHealth{simcloud.TargetHealthy, simcloud.TargetUnhealthy, simcloud.TargetHealthy})
		f.equal("region once it is up", regionState(f), simcloud.ZoneAvailable)
	})
	s.run("SetZoneState/DownTakesNothing", func(f *fixture) {
		o := makeOutage(f)
		suspended := f.in("zone-b").ID
		must[simcloud.Result[simcloud.Instance]](f)(f.SuspendInstance(f.ctx, suspended))
		f.setZone("zone-b", simcloud.ZoneDown)
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-b"})
		wantDown(f, err)
		for verb, id := range map[string]simcloud.ID{
			"StartInstance": o.stopped, "RebuildInstance": o.stopped, "RebootInstance": o.down, "RecreateInstance": o.down,
		} {
			wantDown(f, mutationNamed(verb).call(f, id))
		}
		wantDown(f, mutationNamed("StartInstance").call(f, suspended))
		_, err = f.MigrateInstance(f.ctx, o.elsewhere, simcloud.InstanceMigration{Zone: "zone-b"})
		wantDown(f, err)
		for range 3 {
			if zone := f.instance("a").Zone; zone == "zone-b" {
				f.Errorf("an instance was put into %s", zone)
			}
		}
	})
	s.run("SetZoneState/DownLetsGo", func(f *fixture) {
		o := makeOutage(f)
		moved := f.in("zone-b").ID
		f.setZone("zone-b", simcloud.ZoneDown)
		r := must[simcloud.Result[simcloud.Instance]](f)(f.MigrateInstance(f.ctx, moved, simcloud.InstanceMigration{Zone: "zone-c"}))
		f.equal("one that has left", []any{r.Resource.State, r.Resource.Unreachable, r.Resource.StatusText}, []any{simcloud.InstanceRunning, false, ""})
		stopped := must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, o.down)).Resource
		f.equal("one that was stopped", []any{stopped.State, stopped.Unreachable, stopped.StatusText}, []any{simcloud.InstanceStopped, false, ""})
		f.equal("health", o.health(f)[0], simcloud.TargetUnhealthy)
		drop(f)(f.DeleteInstance(f.ctx, o.down))
		f.setZone("zone-b", simcloud.ZoneAvailable)
		f.equal("one that was stopped before", f.getInstance(o.stopped).State, simcloud.InstanceStopped)
	})
	s.runSlow("SetZoneState/WhileOperationsRun", func(f *fixture) {
		id := f.in("zone-b").ID
		f.setZone("zone-b", simcloud.ZoneDown)
		f.equal("one on its way up", f.getInstance(id).Unreachable, true)
		f.check()
		f.advance(opDuration)
		got := f.getInstance(id)
		f.equal("in the end", []any{got.State, got.Unreachable}, []any{simcloud.InstanceRunning, true})
	})
	s.run("Reset/ZoneDown", func(f *fixture) {
		control := f.control()
		f.in("zone-b")
		f.setZone("zone-b", simcloud.ZoneDown)
		limitZone(f, "zone-c", 1)
		if err := control.Reset(f.ctx); err != nil {
			f.Fatal(err)
		}
		for _, id := range []simcloud.ID{"zone-b", "zone-c"} {
			zone := must[simcloud.Zone](f)(f.GetZone(f.ctx, id))
			f.equal("zone", []any{zone.State, len(zone.Capacity)}, []any{simcloud.ZoneAvailable, 0})
		}
		f.equal("region", regionState(f), simcloud.ZoneAvailable)
	})
}
