package simtest

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func testState(s suite) {
	s.run("GetState/OK", func(f *fixture) {
		control := f.control()
		used := f.used()
		state := must[simcloud.State](f)(control.GetState(f.ctx))
		f.equal("revision", state.Revision, f.revision())
		f.equal("seed", state.Seed, uint64(1))
		f.equal("instances", ids(state.Instances), []simcloud.ID{used.Instance})
		f.equal("load balancers", state.LoadBalancers, []simcloud.LoadBalancer{f.getLoadBalancer(used.LB)})
		f.equal("floating IPs", state.FloatingIPs, []simcloud.FloatingIP{f.getFloatingIP(used.FIP)})
		f.equal("route tables", state.RouteTables, []simcloud.RouteTable{f.getRouteTable("rt-1")})
		f.equal("zones", ids(state.Zones), []simcloud.ID{"zone-a", "zone-b", "zone-c"})
		f.equal("instance types", ids(state.InstanceTypes), []simcloud.ID{"small", "medium", "large"})
		f.equal("regions, networks and projects",
			[][]simcloud.ID{ids(state.Regions), ids(state.Networks), ids(state.Projects)},
			[][]simcloud.ID{{"region-1"}, {"net-1"}, {"default"}})
	})
}

func testReset(s suite) {
	s.run("Reset/OK", func(f *fixture) {
		control := f.control()
		fresh := must[simcloud.State](f)(control.GetState(f.ctx))
		first := f.used()
		addresses := f.getInstance(first.Instance).Addresses
		changeTopology(f)
		drop(f)(f.DeleteFloatingIPPool(f.ctx, "public-v6"))
		before := f.revision()
		if err := control.Reset(f.ctx); err != nil {
			f.Fatal(err)
		}
		state := must[simcloud.State](f)(control.GetState(f.ctx))
		if state.Revision <= before {
			f.Errorf("revision %d after %d", state.Revision, before)
		}
		f.equal("state", withoutTimes(state), withoutTimes(fresh))
		f.check()
		again := f.used()
		f.equal("ids", again, first)
		f.equal("addresses", f.getInstance(again.Instance).Addresses, addresses)
		f.equal("zone", f.getInstance(again.Instance).Zone, simcloud.ID("zone-a"))
	})
	s.run("Reset/Events", func(f *fixture) {
		control := f.control()
		f.instance("a")
		f.floatingIP(simcloud.FloatingIPSpec{})
		f.equal("events", f.storyOf(func() {
			if err := control.Reset(f.ctx); err != nil {
				f.Fatal(err)
			}
		}), []string{"deleted instance/i-1", "deleted floating_ip/fip-1"})
	})
	s.run("Reset/IdempotencyKeys", func(f *fixture) {
		control := f.control()
		key := simcloud.IdempotencyKey("key")
		must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}, key))
		if err := control.Reset(f.ctx); err != nil {
			f.Fatal(err)
		}
		must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "b"}, key))
	})
	s.runSlow("Reset/WhileOperationsRun", func(f *fixture) {
		op := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		waited := make(chan error, 1)
		go func() {
			_, err := f.WaitOperation(f.ctx, op.ID)
			waited <- err
		}()
		if err := f.control().Reset(f.ctx); err != nil {
			f.Fatal(err)
		}
		f.want(<-waited, simcloud.NotFound)
		f.equal("fired", f.advance(opDuration).Fired, []simcloud.Operation{})
	})
}

// changeTopology does to the topology what a reset has to undo.
func changeTopology(f *fixture) {
	f.Helper()
	must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.ctx, simcloud.RegionSpec{Name: "region-2"}))
	must[simcloud.Result[simcloud.Zone]](f)(f.CreateZone(f.ctx, simcloud.ZoneSpec{Name: "zone-d", Region: "region-2"}))
	drop(f)(f.DeleteZone(f.ctx, "zone-c"))
	drop(f)(f.DeleteInstanceType(f.ctx, "large"))
	f.network("10.9.0.0/24")
	f.routeTable("t")
	f.subnet("", "10.0.1.0/24")
	f.pool("office", "192.0.2.0/24")
	f.cluster("another")
	f.limit(simcloud.QuotaNetworks, 9)
	must[simcloud.Result[simcloud.RouteTable]](f)(f.UpdateRouteTable(f.ctx, "rt-1", simcloud.RouteTableUpdate{Limit: ptr(7)}))
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
		m := any(&items[i]).(meta).GetMeta()
		m.Created, m.Updated, m.Version = time.Time{}, time.Time{}, 0
	}
}

func testClock(s suite) {
	s.run("GetClock/Real", func(f *fixture) {
		status := must[simcloud.ClockStatus](f)(f.control().GetClock(f.ctx))
		f.equal("mode", status.Mode, simcloud.ClockReal)
		if apart := time.Since(status.Now).Abs(); apart > time.Minute {
			f.Errorf("the clock is %s apart from the machine's", apart)
		}
	})
	s.run("SetClock/Manual", func(f *fixture) {
		control := f.control()
		first := must[simcloud.ClockStatus](f)(control.SetClock(f.ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		f.equal("it stands still", must[simcloud.ClockStatus](f)(control.GetClock(f.ctx)), first)
		f.equal("it advances", f.advance(time.Hour).Now, first.Now.Add(time.Hour))
		f.equal("resources have its time", f.instance("a").Created, first.Now.Add(time.Hour))
		real := must[simcloud.ClockStatus](f)(control.SetClock(f.ctx, simcloud.ClockSpec{Mode: simcloud.ClockReal}))
		if real.Now.Before(first.Now.Add(time.Hour)) {
			f.Errorf("time went back to %s from %s", real.Now, first.Now.Add(time.Hour))
		}
	})
	s.runOn("SetClock/Scaled", slowHours, func(f *fixture) {
		spec := simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e6}
		status := must[simcloud.ClockStatus](f)(f.control().SetClock(f.ctx, spec))
		f.equal("spec", status.ClockSpec, spec)
		op := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		f.equal("it is done in no time", must[simcloud.Operation](f)(f.WaitOperation(f.ctx, op.ID)).State, simcloud.OperationDone)
	})
	s.run("SetClock/Invalid", func(f *fixture) {
		control := f.control()
		_, err := control.SetClock(f.ctx, simcloud.ClockSpec{Mode: "broken"})
		f.wantField(err, "mode")
		_, err = control.SetClock(f.ctx, simcloud.ClockSpec{Mode: simcloud.ClockScaled})
		f.wantField(err, "factor")
	})
	s.run("AdvanceClock/NotManual", func(f *fixture) {
		_, err := f.control().AdvanceClock(f.ctx, simcloud.Duration(time.Second))
		f.want(err, simcloud.Conflict)
	})
	s.runSlow("AdvanceClock/Invalid", func(f *fixture) {
		for _, by := range []time.Duration{-time.Second, 200 * 365 * 24 * time.Hour} {
			_, err := f.control().AdvanceClock(f.ctx, simcloud.Duration(by))
			f.wantField(err, "by")
		}
	})
}
