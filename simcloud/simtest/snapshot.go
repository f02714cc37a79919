package simtest

import (
	"reflect"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func stateOf(f *fixture) simcloud.State {
	f.Helper()
	return must[simcloud.State](f)(f.control().GetState(f.ctx))
}

// kept is what of a state a snapshot brings back: all but versions and the times of changes.
func kept(state simcloud.State) simcloud.State {
	state.Revision, state.Time = 0, time.Time{}
	fields := reflect.ValueOf(&state).Elem()
	for i := range fields.NumField() {
		if fields.Field(i).Kind() != reflect.Slice {
			continue
		}
		for n := range fields.Field(i).Len() {
			m := fields.Field(i).Index(n).Addr().Interface().(meta).GetMeta()
			m.Version, m.Updated = 0, time.Time{}
		}
	}
	return state
}

func testSnapshots(s suite) {
	s.run("SaveSnapshot/OK", func(f *fixture) {
		f.used()
		saved := f.save("before")
		f.equal("name and revision", []any{saved.Name, saved.Revision}, []any{"before", f.revision()})
		if saved.Bytes == 0 || saved.Created.IsZero() || !strings.HasSuffix(saved.File, "before.db") {
			f.Errorf("the snapshot is %+v", saved)
		}
		f.instance("b")
		again := f.save("again")
		list := must[[]simcloud.Snapshot](f)(f.control().ListSnapshots(f.ctx))
		f.equal("list", list, []simcloud.Snapshot{saved, again})
	})
	s.run("SaveSnapshot/NameTaken", func(f *fixture) {
		f.save("a")
		_, err := f.control().SaveSnapshot(f.ctx, simcloud.SnapshotSpec{Name: "a"})
		f.want(err, simcloud.AlreadyExists)
		f.wantResource(err, "snapshot/a")
	})
	s.run("SaveSnapshot/Invalid", func(f *fixture) {
		for _, name := range []string{"", "../x", "a/b", ".hidden", strings.Repeat("x", 201)} {
			_, err := f.control().SaveSnapshot(f.ctx, simcloud.SnapshotSpec{Name: name})
			f.wantField(err, "name")
		}
	})
	s.run("ListSnapshots/None", func(f *fixture) {
		f.equal("snapshots", must[[]simcloud.Snapshot](f)(f.control().ListSnapshots(f.ctx)), []simcloud.Snapshot{})
	})
	s.run("DeleteSnapshot/OK", func(f *fixture) {
		f.save("a")
		if err := f.control().DeleteSnapshot(f.ctx, "a"); err != nil {
			f.Fatal(err)
		}
		f.equal("snapshots", must[[]simcloud.Snapshot](f)(f.control().ListSnapshots(f.ctx)), []simcloud.Snapshot{})
		f.save("a")
	})
	s.run("DeleteSnapshot/NotFound", func(f *fixture) {
		for _, name := range []simcloud.ID{"a", "..", "../cloud"} {
			f.want(f.control().DeleteSnapshot(f.ctx, name), simcloud.NotFound)
			_, err := f.control().LoadSnapshot(f.ctx, name)
			f.want(err, simcloud.NotFound)
			_, err = f.control().DiffSnapshot(f.ctx, name, "")
			f.want(err, simcloud.NotFound)
		}
	})
	testLoadSnapshot(s)
	testLoadUnderWay(s)
	testDiffSnapshot(s)
}

func testLoadSnapshot(s suite) {
	s.run("LoadSnapshot/OK", func(f *fixture) {
		used := everything(f)
		want := stateOf(f)
		f.save("before")
		next := []any{f.instance("next").Addresses, f.floatingIP(simcloud.FloatingIPSpec{}).Address}
		drop(f)(f.DeleteInstance(f.ctx, "i-3"))
		drop(f)(f.DeleteFloatingIP(f.ctx, "fip-3"))
		changeTopology(f)
		drop(f)(f.DeleteInstance(f.ctx, used.Instance))
		f.limit(simcloud.QuotaInstances, 99)
		f.limit(simcloud.QuotaVolumes, 3)
		revision := f.revision()
		f.load("before")
		got := stateOf(f)
		if got.Revision <= revision {
			f.Errorf("revision %d after %d", got.Revision, revision)
		}
		f.equal("state", kept(got), kept(want))
		f.check()
		f.equal("what comes next", []any{f.instance("next").Addresses, f.floatingIP(simcloud.FloatingIPSpec{}).Address}, next)
		f.equal("its id", f.getInstance("i-3").Name, "next")
	})
	s.run("LoadSnapshot/Events", func(f *fixture) {
		used := f.used()
		f.save("before")
		f.equal("of nothing", f.storyOf(func() { f.load("before") }), []string(nil))
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, used.Instance))
		f.instance("b")
		drop(f)(f.DeleteRouteTable(f.ctx, f.routeTable("gone").ID))
		f.network("10.9.0.0/24")
		drop(f)(f.DeleteZone(f.ctx, "zone-c"))
		f.equal("events", f.storyOf(func() { f.load("before") }), []string{
			"created zone/zone-c", "deleted network/net-2", "deleted instance/i-2", "updated instance/i-1", "updated load_balancer/lb-1",
		})
		if version := f.getInstance(used.Instance).Version; version != f.getLoadBalancer(used.LB).Version-1 {
			f.Errorf("the instance has version %d at revision %d", version, f.revision())
		}
	})
	s.run("LoadSnapshot/AfterReset", func(f *fixture) {
		everything(f)
		want := stateOf(f)
		f.save("before")
		if err := f.control().Reset(f.ctx); err != nil {
			f.Fatal(err)
		}
		f.load("before")
		f.equal("state", kept(stateOf(f)), kept(want))
	})
	s.run("LoadSnapshot/IdempotencyKeys", func(f *fixture) {
		f.save("empty")
		key := simcloud.IdempotencyKey("key")
		must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}, key))
		f.load("empty")
		f.equal("state", f.instanceOf(simcloud.InstanceSpec{Name: "other"}).ID, simcloud.ID("i-1"))
		must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "b"}, key))
	})
	s.run("LoadSnapshot/KeepsTheClock", func(f *fixture) {
		must[simcloud.ClockStatus](f)(f.control().SetClock(f.ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		f.save("before")
		now := f.advance(time.Hour).Now
		f.load("before")
		status := must[simcloud.ClockStatus](f)(f.control().GetClock(f.ctx))
		f.equal("clock", []any{status.Mode, status.Now}, []any{simcloud.ClockManual, now})
	})
}

func testLoadUnderWay(s suite) {
	s.runSlow("LoadSnapshot/UnderWay", func(f *fixture) {
		first := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		f.advance(opDuration / 4)
		want := stateOf(f)
		f.save("before")
		f.advance(opDuration * 2)
		later := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "b"})).Operation
		waited := make(chan error, 1)
		go func() {
			_, err := f.WaitOperation(f.ctx, later.ID)
			waited <- err
		}()
		f.load("before")
		f.want(<-waited, simcloud.NotFound)
		got := stateOf(f)
		for _, state := range []*simcloud.State{&want, &got} {
			for i := range state.Operations {
				op := &state.Operations[i]
				op.Started, op.ReadyAt = op.Started.Add(-state.Time.Sub(want.Time)), op.ReadyAt.Add(-state.Time.Sub(want.Time))
			}
		}
		f.equal("state", kept(got), kept(want))
		f.check()
		f.equal("just before", f.advance(opDuration*3/4-1).Fired, []simcloud.Operation{})
		fired := f.advance(1).Fired
		f.equal("fired", len(fired), 1)
		f.equal("the operation", fired[0].ID, first.ID)
		f.equal("state then", f.getInstance("i-1").State, simcloud.InstanceRunning)
	})
}

func testDiffSnapshot(s suite) {
	s.run("DiffSnapshot/OK", func(f *fixture) {
		used := f.used()
		f.save("a")
		f.equal("of nothing", diffWith(f, "a", ""), []simcloud.SnapshotChange{})
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, used.Instance))
		labels := map[string]string{"app": "web"}
		must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.ctx, used.Instance, simcloud.InstanceUpdate{Labels: &labels}))
		f.network("10.9.0.0/24")
		drop(f)(f.DeleteZone(f.ctx, "zone-c"))
		want := []simcloud.SnapshotChange{
			{Type: simcloud.Deleted, Resource: "zone/zone-c", Name: "zone-c"},
			{Type: simcloud.Created, Resource: "network/net-2", Name: "net"},
			{Type: simcloud.Updated, Resource: "instance/i-1", Name: f.getInstance(used.Instance).Name, Fields: []string{"labels[app]", "state"}},
			{Type: simcloud.Updated, Resource: "load_balancer/lb-1", Name: f.getLoadBalancer(used.LB).Name, Fields: []string{"targets[0].health"}},
		}
		f.equal("since", diffWith(f, "a", ""), want)
		f.save("b")
		f.equal("between", diffWith(f, "a", "b"), want)
		f.equal("of nothing", diffWith(f, "b", "b"), []simcloud.SnapshotChange{})
	})
	s.run("DiffSnapshot/NotFound", func(f *fixture) {
		f.save("a")
		_, err := f.control().DiffSnapshot(f.ctx, "a", "b")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "snapshot/b")
	})
}

// diffWith compares two snapshots, or one with the cloud.
func diffWith(f *fixture, name simcloud.ID, against string) []simcloud.SnapshotChange {
	f.Helper()
	diff := must[simcloud.SnapshotDiff](f)(f.control().DiffSnapshot(f.ctx, name, against))
	f.equal("from and to", []string{diff.From, diff.To}, []string{string(name), against})
	return diff.Changes
}

// everything makes some of all that a cloud can have.
func everything(f *fixture) used {
	f.Helper()
	used := f.used()
	subnet := f.subnet("", "10.0.2.0/24")
	f.instanceOf(simcloud.InstanceSpec{Name: "in-subnet", Subnet: subnet.ID, Labels: map[string]string{"a": "b"}})
	f.network("10.9.0.0/24", "fd00::/64")
	f.cluster("prod")
	key := must[simcloud.Result[simcloud.SSHKey]](f)(f.CreateSSHKey(f.ctx, simcloud.SSHKeySpec{Name: "me", PublicKey: aKey})).Resource
	must[simcloud.Result[simcloud.SSHKey]](f)(f.AttachSSHKey(f.ctx, key.ID, simcloud.SSHKeyTargets{All: true}))
	volume := must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "data", SizeGiB: 5, Zone: "zone-a"})).Resource
	must[simcloud.Result[simcloud.Volume]](f)(f.AttachVolume(f.ctx, volume.ID, simcloud.VolumeAttachment{Instance: used.Instance}))
	must[simcloud.Result[simcloud.Zone]](f)(f.SetZoneState(f.ctx, "zone-b", simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	f.limit(simcloud.QuotaInstances, 7)
	drop(f)(f.DeleteFloatingIP(f.ctx, f.floatingIP(simcloud.FloatingIPSpec{Name: "freed"}).ID))
	f.floatingIP(simcloud.FloatingIPSpec{Name: "v6", Family: 6})
	return used
}
