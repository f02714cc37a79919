package rules

import (
	"reflect"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func stateOf(f *suite.Fixture) simcloud.State {
	f.Helper()
	return suite.Must[simcloud.State](f)(f.Control().GetState(f.Ctx))
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
			m := fields.Field(i).Index(n).Addr().Interface().(suite.Resource).GetMeta()
			m.Version, m.Updated = 0, time.Time{}
		}
	}
	return state
}

func testSnapshots(s suite.Runner) {
	s.Test("SaveSnapshot/OK", func(f *suite.Fixture) {
		f.Used()
		saved := f.Save("before")
		f.Equal("name and revision", []any{saved.Name, saved.Revision}, []any{"before", f.Revision()})
		if saved.Bytes == 0 || saved.Created.IsZero() || !strings.HasSuffix(saved.File, "before.db") {
			f.Errorf("the snapshot is %+v", saved)
		}
		f.Instance("b")
		again := f.Save("again")
		list := suite.Must[[]simcloud.Snapshot](f)(f.Control().ListSnapshots(f.Ctx))
		f.Equal("list", list, []simcloud.Snapshot{saved, again})
	})
	s.Test("SaveSnapshot/NameTaken", func(f *suite.Fixture) {
		f.Save("a")
		_, err := f.Control().SaveSnapshot(f.Ctx, simcloud.SnapshotSpec{Name: "a"})
		f.Want(err, simcloud.AlreadyExists)
		f.WantResource(err, "snapshot/a")
	})
	s.Test("SaveSnapshot/Invalid", func(f *suite.Fixture) {
		for _, name := range []string{"", "../x", "a/b", ".hidden", strings.Repeat("x", 201)} {
			_, err := f.Control().SaveSnapshot(f.Ctx, simcloud.SnapshotSpec{Name: name})
			f.WantField(err, "name")
		}
	})
	s.Test("ListSnapshots/None", func(f *suite.Fixture) {
		f.Equal("snapshots", suite.Must[[]simcloud.Snapshot](f)(f.Control().ListSnapshots(f.Ctx)), []simcloud.Snapshot{})
	})
	s.Test("DeleteSnapshot/OK", func(f *suite.Fixture) {
		f.Save("a")
		if err := f.Control().DeleteSnapshot(f.Ctx, "a"); err != nil {
			f.Fatal(err)
		}
		f.Equal("snapshots", suite.Must[[]simcloud.Snapshot](f)(f.Control().ListSnapshots(f.Ctx)), []simcloud.Snapshot{})
		f.Save("a")
	})
	s.Test("DeleteSnapshot/NotFound", func(f *suite.Fixture) {
		for _, name := range []simcloud.ID{"a", "..", "../cloud"} {
			f.Want(f.Control().DeleteSnapshot(f.Ctx, name), simcloud.NotFound)
			_, err := f.Control().LoadSnapshot(f.Ctx, name)
			f.Want(err, simcloud.NotFound)
			_, err = f.Control().DiffSnapshot(f.Ctx, name, "")
			f.Want(err, simcloud.NotFound)
		}
	})
	testLoadSnapshot(s)
	testLoadUnderWay(s)
	testDiffSnapshot(s)
}

func testLoadSnapshot(s suite.Runner) {
	s.Test("LoadSnapshot/OK", func(f *suite.Fixture) {
		used := everything(f)
		want := stateOf(f)
		f.Save("before")
		next := []any{f.Instance("next").Addresses, f.FloatingIP(simcloud.FloatingIPSpec{}).Address}
		suite.Drop(f)(f.DeleteInstance(f.Ctx, "i-3"))
		suite.Drop(f)(f.DeleteFloatingIP(f.Ctx, "fip-3"))
		changeTopology(f)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, used.Instance))
		f.Limit(simcloud.QuotaInstances, 99)
		f.Limit(simcloud.QuotaVolumes, 3)
		revision := f.Revision()
		f.Load("before")
		got := stateOf(f)
		if got.Revision <= revision {
			f.Errorf("revision %d after %d", got.Revision, revision)
		}
		f.Equal("state", kept(got), kept(want))
		f.Check()
		f.Equal("what comes next", []any{f.Instance("next").Addresses, f.FloatingIP(simcloud.FloatingIPSpec{}).Address}, next)
		f.Equal("its id", f.MustGetInstance("i-3").Name, "next")
	})
	s.Test("LoadSnapshot/Events", func(f *suite.Fixture) {
		used := f.Used()
		f.Save("before")
		f.Equal("of nothing", f.StoryOf(func() { f.Load("before") }), []string(nil))
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, used.Instance))
		f.Instance("b")
		suite.Drop(f)(f.DeleteRouteTable(f.Ctx, f.RouteTable("gone").ID))
		f.Network("10.9.0.0/24")
		suite.Drop(f)(f.DeleteZone(f.Ctx, "zone-c"))
		f.Equal("events", f.StoryOf(func() { f.Load("before") }), []string{
			"created zone/zone-c", "deleted network/net-2", "deleted instance/i-2", "updated instance/i-1", "updated load_balancer/lb-1",
		})
		if version := f.MustGetInstance(used.Instance).Version; version != f.MustGetLoadBalancer(used.LB).Version-1 {
			f.Errorf("the instance has version %d at revision %d", version, f.Revision())
		}
	})
	s.Test("LoadSnapshot/AfterReset", func(f *suite.Fixture) {
		everything(f)
		want := stateOf(f)
		f.Save("before")
		if err := f.Control().Reset(f.Ctx); err != nil {
			f.Fatal(err)
		}
		f.Load("before")
		f.Equal("state", kept(stateOf(f)), kept(want))
	})
	s.Test("LoadSnapshot/IdempotencyKeys", func(f *suite.Fixture) {
		f.Save("empty")
		key := simcloud.IdempotencyKey("key")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}, key))
		f.Load("empty")
		f.Equal("state", f.InstanceOf(simcloud.InstanceSpec{Name: "other"}).ID, simcloud.ID("i-1"))
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "b"}, key))
	})
	s.Test("LoadSnapshot/KeepsTheClock", func(f *suite.Fixture) {
		suite.Must[simcloud.ClockStatus](f)(f.Control().SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		f.Save("before")
		now := f.Advance(time.Hour).Now
		f.Load("before")
		status := suite.Must[simcloud.ClockStatus](f)(f.Control().GetClock(f.Ctx))
		f.Equal("clock", []any{status.Mode, status.Now}, []any{simcloud.ClockManual, now})
	})
}

func testLoadUnderWay(s suite.Runner) {
	s.TestSlow("LoadSnapshot/UnderWay", func(f *suite.Fixture) {
		first := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		f.Advance(suite.OpDuration / 4)
		want := stateOf(f)
		f.Save("before")
		f.Advance(suite.OpDuration * 2)
		later := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "b"})).Operation
		waited := make(chan error, 1)
		go func() {
			_, err := f.WaitOperation(f.Ctx, later.ID)
			waited <- err
		}()
		f.Load("before")
		f.Want(<-waited, simcloud.NotFound)
		got := stateOf(f)
		for _, state := range []*simcloud.State{&want, &got} {
			for i := range state.Operations {
				op := &state.Operations[i]
				op.Started, op.ReadyAt = op.Started.Add(-state.Time.Sub(want.Time)), op.ReadyAt.Add(-state.Time.Sub(want.Time))
			}
		}
		f.Equal("state", kept(got), kept(want))
		f.Check()
		f.Equal("just before", f.Advance(suite.OpDuration*3/4-1).Fired, []simcloud.Operation{})
		fired := f.Advance(1).Fired
		f.Equal("fired", len(fired), 1)
		f.Equal("the operation", fired[0].ID, first.ID)
		f.Equal("state then", f.MustGetInstance("i-1").State, simcloud.InstanceRunning)
	})
}

func testDiffSnapshot(s suite.Runner) {
	s.Test("DiffSnapshot/OK", func(f *suite.Fixture) {
		used := f.Used()
		f.Save("a")
		f.Equal("of nothing", diffWith(f, "a", ""), []simcloud.SnapshotChange{})
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, used.Instance))
		labels := map[string]string{"app": "web"}
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, used.Instance, simcloud.InstanceUpdate{Labels: &labels}))
		f.Network("10.9.0.0/24")
		suite.Drop(f)(f.DeleteZone(f.Ctx, "zone-c"))
		want := []simcloud.SnapshotChange{
			{Type: simcloud.Deleted, Resource: "zone/zone-c", Name: "zone-c"},
			{Type: simcloud.Created, Resource: "network/net-2", Name: "net"},
			{Type: simcloud.Updated, Resource: "instance/i-1", Name: f.MustGetInstance(used.Instance).Name, Fields: []simcloud.FieldChange{
				{Path: "labels[app]", Is: "web"}, {Path: "state", Was: "running", Is: "stopped"},
			}},
			{Type: simcloud.Updated, Resource: "load_balancer/lb-1", Name: f.MustGetLoadBalancer(used.LB).Name, Fields: []simcloud.FieldChange{
				{Path: "targets[" + string(used.Instance) + "].health", Was: "healthy", Is: "unhealthy"},
			}},
		}
		f.Equal("since", diffWith(f, "a", ""), want)
		f.Save("b")
		f.Equal("between", diffWith(f, "a", "b"), want)
		f.Equal("of nothing", diffWith(f, "b", "b"), []simcloud.SnapshotChange{})
	})
	s.Test("DiffSnapshot/NotFound", func(f *suite.Fixture) {
		f.Save("a")
		_, err := f.Control().DiffSnapshot(f.Ctx, "a", "b")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "snapshot/b")
	})
}

// diffWith compares two snapshots, or one with the cloud.
func diffWith(f *suite.Fixture, name simcloud.ID, against string) []simcloud.SnapshotChange {
	f.Helper()
	diff := suite.Must[simcloud.SnapshotDiff](f)(f.Control().DiffSnapshot(f.Ctx, name, against))
	f.Equal("from and to", []string{diff.From, diff.To}, []string{string(name), against})
	return diff.Changes
}

// everything makes some of all that a cloud can have.
func everything(f *suite.Fixture) suite.Used {
	f.Helper()
	used := f.Used()
	subnet := f.Subnet("", "10.0.2.0/24")
	front := f.SecurityGroup("front", suite.AnyTCP(443)).ID
	back := f.SecurityGroup("back", simcloud.SecurityGroupRuleSpec{Group: front}).ID
	f.InstanceOf(simcloud.InstanceSpec{
		Name: "in-subnet", Subnet: subnet.ID, Labels: map[string]string{"a": "b"}, SecurityGroups: []simcloud.ID{back},
	})
	f.Network("10.9.0.0/24", "fd00::/64")
	f.Cluster("prod")
	web := f.TargetGroup(30081, suite.GroupTargetSpec(used.Instance, 81))
	toWeb := simcloud.ListenerSpec{Protocol: simcloud.ProtocolTCP, Port: 81, ListenerConfig: simcloud.ListenerConfig{TargetGroup: web.ID}}
	tls := suite.TCP(443, 30443)
	tls.Documents = []simcloud.ID{f.Document("tls")}
	f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{tls, toWeb}, SecurityGroups: []simcloud.ID{front}})
	key := suite.Must[simcloud.Result[simcloud.SSHKey]](f)(f.CreateSSHKey(f.Ctx, simcloud.SSHKeySpec{Name: "me", PublicKey: aKey})).Resource
	suite.Must[simcloud.Result[simcloud.SSHKey]](f)(f.AttachSSHKey(f.Ctx, key.ID, simcloud.SSHKeyTargets{All: true}))
	volume := suite.Must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "data", SizeGiB: 5, Zone: "zone-a"})).Resource
	suite.Must[simcloud.Result[simcloud.Volume]](f)(f.AttachVolume(f.Ctx, volume.ID, simcloud.VolumeAttachment{Instance: used.Instance}))
	suite.Must[simcloud.Result[simcloud.Zone]](f)(f.SetZoneState(f.Ctx, "zone-b", simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	f.Limit(simcloud.QuotaInstances, 7)
	suite.Drop(f)(f.DeleteFloatingIP(f.Ctx, f.FloatingIP(simcloud.FloatingIPSpec{Name: "freed"}).ID))
	f.FloatingIP(simcloud.FloatingIPSpec{Name: "v6", Family: 6})
	return used
}
