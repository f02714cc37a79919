package rules

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testState(s suite.Runner) {
	s.Test("GetState/OK", func(f *suite.Fixture) {
		control := f.Control()
		used := f.Used()
		state := suite.Must[simcloud.State](f)(control.GetState(f.Ctx))
		f.Equal("revision", state.Revision, f.Revision())
		f.Equal("seed", state.Seed, uint64(1))
		f.Equal("instances", suite.IDs(state.Instances), []simcloud.ID{used.Instance})
		f.Equal("load balancers", state.LoadBalancers, []simcloud.LoadBalancer{f.MustGetLoadBalancer(used.LB)})
		f.Equal("floating IPs", state.FloatingIPs, []simcloud.FloatingIP{f.MustGetFloatingIP(used.FIP)})
		f.Equal("route tables", state.RouteTables, []simcloud.RouteTable{f.MustGetRouteTable("rt-1")})
		f.Equal("zones", suite.IDs(state.Zones), []simcloud.ID{"zone-a", "zone-b", "zone-c"})
		f.Equal("instance types", suite.IDs(state.InstanceTypes), []simcloud.ID{"small", "medium", "large"})
		f.Equal("regions, networks and projects",
			[][]simcloud.ID{suite.IDs(state.Regions), suite.IDs(state.Networks), suite.IDs(state.Projects)},
			[][]simcloud.ID{{"region-1"}, {"net-1"}, {"default"}})
	})
}

func testReset(s suite.Runner) {
	s.Test("Reset/OK", func(f *suite.Fixture) {
		control := f.Control()
		fresh := suite.Must[simcloud.State](f)(control.GetState(f.Ctx))
		first := f.Used()
		addresses := f.MustGetInstance(first.Instance).Addresses
		changeTopology(f)
		suite.Drop(f)(f.DeleteFloatingIPPool(f.Ctx, "public-v6"))
		before := f.Revision()
		if err := control.Reset(f.Ctx); err != nil {
			f.Fatal(err)
		}
		state := suite.Must[simcloud.State](f)(control.GetState(f.Ctx))
		if state.Revision <= before {
			f.Errorf("revision %d after %d", state.Revision, before)
		}
		f.Equal("state", withoutTimes(state), withoutTimes(fresh))
		f.Check()
		again := f.Used()
		f.Equal("ids", again, first)
		f.Equal("addresses", f.MustGetInstance(again.Instance).Addresses, addresses)
		f.Equal("zone", f.MustGetInstance(again.Instance).Zone, simcloud.ID("zone-a"))
	})
	s.Test("Reset/Events", func(f *suite.Fixture) {
		control := f.Control()
		f.Instance("a")
		f.FloatingIP(simcloud.FloatingIPSpec{})
		f.Equal("events", f.StoryOf(func() {
			if err := control.Reset(f.Ctx); err != nil {
				f.Fatal(err)
			}
		}), []string{"deleted instance/i-1", "deleted floating_ip/fip-1"})
	})
	s.Test("Reset/IdempotencyKeys", func(f *suite.Fixture) {
		control := f.Control()
		key := simcloud.IdempotencyKey("key")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}, key))
		if err := control.Reset(f.Ctx); err != nil {
			f.Fatal(err)
		}
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "b"}, key))
	})
	s.TestSlow("Reset/WhileOperationsRun", func(f *suite.Fixture) {
		op := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		waited := make(chan error, 1)
		go func() {
			_, err := f.WaitOperation(f.Ctx, op.ID)
			waited <- err
		}()
		if err := f.Control().Reset(f.Ctx); err != nil {
			f.Fatal(err)
		}
		f.Want(<-waited, simcloud.NotFound)
		f.Equal("fired", f.Advance(suite.OpDuration).Fired, []simcloud.Operation{})
	})
}

// changeTopology does to the topology what a reset has to undo.
func changeTopology(f *suite.Fixture) {
	f.Helper()
	suite.Must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.Ctx, simcloud.RegionSpec{Name: "region-2"}))
	suite.Must[simcloud.Result[simcloud.Zone]](f)(f.CreateZone(f.Ctx, simcloud.ZoneSpec{Name: "zone-d", Region: "region-2"}))
	suite.Drop(f)(f.DeleteZone(f.Ctx, "zone-c"))
	suite.Drop(f)(f.DeleteInstanceType(f.Ctx, "large"))
	f.Network("10.9.0.0/24")
	f.RouteTable("t")
	f.Subnet("", "10.0.1.0/24")
	f.Pool("office", "192.0.2.0/24")
	f.Cluster("another")
	f.Limit(simcloud.QuotaNetworks, 9)
	suite.Must[simcloud.Result[simcloud.RouteTable]](f)(f.UpdateRouteTable(f.Ctx, "rt-1", simcloud.RouteTableUpdate{Limit: suite.Ptr(7)}))
}

// withoutTimes leaves what a reset restores.
func withoutTimes(state simcloud.State) simcloud.State {
	state.Revision, state.Time = 0, time.Time{}
	plain(state.Projects)
	plain(state.Regions)
	plain(state.Zones)
	plain(state.InstanceTypes)
	plain(state.FloatingIPPools)
	plain(state.Networks)
	plain(state.RouteTables)
	return state
}

func plain[T any](items []T) {
	for i := range items {
		m := any(&items[i]).(suite.Resource).GetMeta()
		m.Created, m.Updated, m.Version = time.Time{}, time.Time{}, 0
	}
}

func resetCloud(f *suite.Fixture) {
	f.Helper()
	if err := f.Control().Reset(f.Ctx); err != nil {
		f.Fatal(err)
	}
}

func testClock(s suite.Runner) {
	s.Test("GetClock/Real", func(f *suite.Fixture) {
		status := suite.Must[simcloud.ClockStatus](f)(f.Control().GetClock(f.Ctx))
		f.Equal("mode", status.Mode, simcloud.ClockReal)
		if apart := time.Since(status.Now).Abs(); apart > time.Minute {
			f.Errorf("the clock is %s apart from the machine's", apart)
		}
	})
	s.Test("SetClock/Manual", func(f *suite.Fixture) {
		control := f.Control()
		first := suite.Must[simcloud.ClockStatus](f)(control.SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		second := suite.Must[simcloud.ClockStatus](f)(control.GetClock(f.Ctx))
		second.Offset = first.Offset // the machine's clock goes on
		f.Equal("it stands still", second, first)
		f.Equal("it advances", f.Advance(time.Hour).Now, first.Now.Add(time.Hour))
		f.Equal("resources have its time", f.Instance("a").Created, first.Now.Add(time.Hour))
		real := suite.Must[simcloud.ClockStatus](f)(control.SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockReal}))
		if real.Now.Before(first.Now.Add(time.Hour)) {
			f.Errorf("time went back to %s from %s", real.Now, first.Now.Add(time.Hour))
		}
		if ahead := time.Duration(real.Offset); ahead < 30*time.Minute || ahead > time.Hour {
			f.Errorf("it is ahead by %s after an hour was skipped", ahead)
		}
	})
	s.Test("Reset/Clock", func(f *suite.Fixture) {
		control := f.Control()
		suite.Must[simcloud.ClockStatus](f)(control.SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		f.Advance(2 * time.Hour)
		f.Instance("a")
		resetCloud(f)
		if ahead := time.Duration(suite.Must[simcloud.ClockStatus](f)(control.GetClock(f.Ctx)).Offset); ahead < time.Hour {
			f.Errorf("a manual clock is ahead by %s after a reset, want it to stay", ahead)
		}
		suite.Must[simcloud.ClockStatus](f)(control.SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockReal}))
		resetCloud(f)
		if apart := time.Duration(suite.Must[simcloud.ClockStatus](f)(control.GetClock(f.Ctx)).Offset).Abs(); apart > time.Minute {
			f.Errorf("a real clock is %s apart from the machine's after a reset", apart)
		}
		if apart := time.Since(f.Instance("b").Created).Abs(); apart > time.Minute {
			f.Errorf("what is made after a reset is %s apart from the machine's time", apart)
		}
	})
	s.TestOn("SetClock/Scaled", slowHours, func(f *suite.Fixture) {
		spec := simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e6}
		status := suite.Must[simcloud.ClockStatus](f)(f.Control().SetClock(f.Ctx, spec))
		f.Equal("spec", status.ClockSpec, spec)
		op := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		f.Equal("it is done in no time", suite.Must[simcloud.Operation](f)(f.WaitOperation(f.Ctx, op.ID)).State, simcloud.OperationDone)
	})
	s.Test("SetClock/Invalid", func(f *suite.Fixture) {
		control := f.Control()
		_, err := control.SetClock(f.Ctx, simcloud.ClockSpec{Mode: "broken"})
		f.WantField(err, "mode")
		_, err = control.SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockScaled})
		f.WantField(err, "factor")
	})
	s.Test("AdvanceClock/NotManual", func(f *suite.Fixture) {
		_, err := f.Control().AdvanceClock(f.Ctx, simcloud.Duration(time.Second))
		f.Want(err, simcloud.Conflict)
	})
	s.TestSlow("AdvanceClock/Invalid", func(f *suite.Fixture) {
		for _, by := range []time.Duration{-time.Second, 200 * 365 * 24 * time.Hour} {
			_, err := f.Control().AdvanceClock(f.Ctx, simcloud.Duration(by))
			f.WantField(err, "by")
		}
	})
}
