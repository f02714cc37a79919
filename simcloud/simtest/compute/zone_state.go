package compute

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testZoneStates(s suite.Runner) {
	s.Test("SetZoneState/OK", func(f *suite.Fixture) {
		r := suite.Must[zoneResult](f)(f.SetZoneState(f.Ctx, "zone-b", simcloud.ZoneStateSpec{State: simcloud.ZoneDegraded}))
		f.Done(r.Operation, "SetZoneState", simcloud.KindZone, "zone-b")
		f.Equal("state", r.Resource.State, simcloud.ZoneDegraded)
		f.Equal("as read", suite.Must[simcloud.Zone](f)(f.GetZone(f.Ctx, "zone-b")), r.Resource)
	})
	s.Test("SetZoneState/Invalid", func(f *suite.Fixture) {
		_, err := f.SetZoneState(f.Ctx, "zone-b", simcloud.ZoneStateSpec{State: "happy"})
		f.WantField(err, "state")
	})
	s.Test("SetZoneState/Region", func(f *suite.Fixture) {
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
			f.SetZone(step.zone, step.state)
			f.Equal("the region with "+string(step.zone)+" "+string(step.state), regionState(f), step.wants)
		}
		suite.Drop(f)(f.DeleteZone(f.Ctx, "zone-c"))
		f.Equal("the region without its last zone that is up", regionState(f), simcloud.ZoneDown)
		suite.Must[zoneResult](f)(f.CreateZone(f.Ctx, simcloud.ZoneSpec{Name: "zone-d", Region: "region-1"}))
		f.Equal("the region with a new zone", regionState(f), simcloud.ZoneDegraded)
	})
	s.Test("SetZoneState/Degraded", func(f *suite.Fixture) {
		f.SetZone("zone-a", simcloud.ZoneDegraded)
		f.Equal("zones", []simcloud.ID{f.Instance("a").Zone, f.Instance("a").Zone, f.Instance("a").Zone},
			[]simcloud.ID{"zone-b", "zone-c", "zone-b"})
		got := f.In("zone-a")
		f.Equal("one that is there", []any{got.State, got.Unreachable}, []any{simcloud.InstanceRunning, false})
	})
	testZoneDown(s)
}

func regionState(f *suite.Fixture) simcloud.ZoneState {
	f.Helper()
	return suite.Must[simcloud.Region](f)(f.GetRegion(f.Ctx, "region-1")).State
}

// outage is what an outage of zone-b meets.
type outage struct{ down, stopped, elsewhere, lb simcloud.ID }

func makeOutage(f *suite.Fixture) outage {
	f.Helper()
	o := outage{down: f.In("zone-b").ID, stopped: f.In("zone-b").ID, elsewhere: f.In("zone-a").ID}
	suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, o.stopped))
	o.lb = f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{
		{Instance: o.down}, {Instance: o.stopped}, {Instance: o.elsewhere},
	}}).ID
	return o
}

// health is that of the three targets, in their order.
func (o outage) health(f *suite.Fixture) []simcloud.TargetHealth {
	f.Helper()
	var all []simcloud.TargetHealth
	for _, target := range f.MustGetLoadBalancer(o.lb).Targets {
		all = append(all, target.Health)
	}
	return all
}

func testZoneDown(s suite.Runner) {
	s.Test("SetZoneState/Down", func(f *suite.Fixture) {
		o := makeOutage(f)
		before := f.MustGetInstance(o.down)
		f.Equal("events", f.StoryOf(func() { f.SetZone("zone-b", simcloud.ZoneDown) }),
			[]string{"updated zone/zone-b", "updated instance/i-1", "updated load_balancer/lb-1", "updated region/region-1"})
		got := f.MustGetInstance(o.down)
		f.Equal("instance", []any{got.State, got.Unreachable, got.StatusText}, []any{simcloud.InstanceRunning, true, "zone zone-b is down"})
		f.Equal("one that does not run", f.MustGetInstance(o.stopped).Unreachable, false)
		f.Equal("one elsewhere", f.MustGetInstance(o.elsewhere).Unreachable, false)
		f.Equal("health", o.health(f), []simcloud.TargetHealth{simcloud.TargetDraining, simcloud.TargetUnhealthy, simcloud.TargetHealthy})
		late := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: o.down}}})
		f.Equal("health in a new load balancer", late.Targets[0].Health, simcloud.TargetDraining)

		f.SetZone("zone-b", simcloud.ZoneAvailable)
		after := f.MustGetInstance(o.down)
		after.Version, after.Updated = before.Version, before.Updated
		f.Equal("once it is up", after, before)
		f.Equal("health once it is up", o.health(f), []simcloud.TargetHealth{simcloud.TargetHealthy, simcloud.TargetUnhealthy, simcloud.TargetHealthy})
		f.Equal("region once it is up", regionState(f), simcloud.ZoneAvailable)
	})
	s.Test("SetZoneState/DownTakesNothing", func(f *suite.Fixture) {
		o := makeOutage(f)
		suspended := f.In("zone-b").ID
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.SuspendInstance(f.Ctx, suspended))
		f.SetZone("zone-b", simcloud.ZoneDown)
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-b"})
		wantDown(f, err)
		for verb, id := range map[string]simcloud.ID{
			"StartInstance": o.stopped, "RebuildInstance": o.stopped, "RebootInstance": o.down, "RecreateInstance": o.down,
		} {
			wantDown(f, suite.MutationNamed(verb).Call(f, id))
		}
		wantDown(f, suite.MutationNamed("StartInstance").Call(f, suspended))
		_, err = f.MigrateInstance(f.Ctx, o.elsewhere, simcloud.InstanceMigration{Zone: "zone-b"})
		wantDown(f, err)
		for range 3 {
			if zone := f.Instance("a").Zone; zone == "zone-b" {
				f.Errorf("an instance was put into %s", zone)
			}
		}
	})
	s.Test("SetZoneState/DownLetsGo", func(f *suite.Fixture) {
		o := makeOutage(f)
		moved := f.In("zone-b").ID
		f.SetZone("zone-b", simcloud.ZoneDown)
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.MigrateInstance(f.Ctx, moved, simcloud.InstanceMigration{Zone: "zone-c"}))
		f.Equal("one that has left", []any{r.Resource.State, r.Resource.Unreachable, r.Resource.StatusText}, []any{simcloud.InstanceRunning, false, ""})
		stopped := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, o.down)).Resource
		f.Equal("one that was stopped", []any{stopped.State, stopped.Unreachable, stopped.StatusText}, []any{simcloud.InstanceStopped, false, ""})
		f.Equal("health", o.health(f)[0], simcloud.TargetUnhealthy)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, o.down))
		f.SetZone("zone-b", simcloud.ZoneAvailable)
		f.Equal("one that was stopped before", f.MustGetInstance(o.stopped).State, simcloud.InstanceStopped)
	})
	s.TestSlow("SetZoneState/WhileOperationsRun", func(f *suite.Fixture) {
		id := f.In("zone-b").ID
		f.SetZone("zone-b", simcloud.ZoneDown)
		f.Equal("one on its way up", f.MustGetInstance(id).Unreachable, true)
		f.Check()
		f.Advance(suite.OpDuration)
		got := f.MustGetInstance(id)
		f.Equal("in the end", []any{got.State, got.Unreachable}, []any{simcloud.InstanceRunning, true})
	})
	s.Test("Reset/ZoneDown", func(f *suite.Fixture) {
		control := f.Control()
		f.In("zone-b")
		f.SetZone("zone-b", simcloud.ZoneDown)
		limitZone(f, "zone-c", 1)
		if err := control.Reset(f.Ctx); err != nil {
			f.Fatal(err)
		}
		for _, id := range []simcloud.ID{"zone-b", "zone-c"} {
			zone := suite.Must[simcloud.Zone](f)(f.GetZone(f.Ctx, id))
			f.Equal("zone", []any{zone.State, len(zone.Capacity)}, []any{simcloud.ZoneAvailable, 0})
		}
		f.Equal("region", regionState(f), simcloud.ZoneAvailable)
	})
}
