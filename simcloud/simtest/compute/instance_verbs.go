package compute

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type instanceResult = simcloud.Result[simcloud.Instance]

func testInstanceVerbs(s suite.Runner) {
	testSuspend(s)
	testRebuild(s)
	testResize(s)
	testMigrate(s)
}

func testSuspend(s suite.Runner) {
	s.Test("SuspendInstance/OK", func(f *suite.Fixture) {
		used := f.Used()
		before := f.MustGetInstance(used.Instance)
		r := suite.Must[instanceResult](f)(f.SuspendInstance(f.Ctx, used.Instance))
		f.Done(r.Operation, "SuspendInstance", simcloud.KindInstance, used.Instance)
		f.Equal("state", r.Resource.State, simcloud.InstanceSuspended)
		f.Equal("addresses stay", r.Resource.Addresses, before.Addresses)
		f.Equal("health", f.MustGetLoadBalancer(used.LB).Targets[0].Health, simcloud.TargetUnhealthy)
		f.Equal("once it goes on", suite.Must[instanceResult](f)(f.StartInstance(f.Ctx, used.Instance)).Resource.State, simcloud.InstanceRunning)
		f.Equal("health once it goes on", f.MustGetLoadBalancer(used.LB).Targets[0].Health, simcloud.TargetHealthy)
	})
	s.Test("SuspendInstance/Stopped", func(f *suite.Fixture) {
		_, err := f.SuspendInstance(f.Ctx, suite.MakeStopped(f))
		f.Want(err, simcloud.Conflict)
	})
	s.Test("StopInstance/Suspended", func(f *suite.Fixture) {
		id := suite.MakeInstance(f)
		suite.Must[instanceResult](f)(f.SuspendInstance(f.Ctx, id))
		_, err := f.RebootInstance(f.Ctx, id)
		f.Want(err, simcloud.Conflict)
		f.Equal("state", suite.Must[instanceResult](f)(f.StopInstance(f.Ctx, id)).Resource.State, simcloud.InstanceStopped)
	})
	s.TestSlow("SuspendInstance/Slow", func(f *suite.Fixture) {
		id := suite.MakeInstance(f)
		f.Advance(suite.OpDuration)
		r := suite.Must[instanceResult](f)(f.SuspendInstance(f.Ctx, id))
		f.Equal("at first", []any{r.Resource.State, r.Resource.Operation}, []any{simcloud.InstanceRunning, r.Operation.ID})
		f.Advance(suite.OpDuration)
		f.Equal("in the end", f.MustGetInstance(id).State, simcloud.InstanceSuspended)
		r = suite.Must[instanceResult](f)(f.StartInstance(f.Ctx, id))
		f.Equal("on its way back it does not boot", r.Resource.State, simcloud.InstanceSuspended)
		f.Advance(suite.OpDuration)
		f.Equal("back", f.MustGetInstance(id).State, simcloud.InstanceRunning)
	})
}

func testRebuild(s suite.Runner) {
	s.Test("RebuildInstance/OK", func(f *suite.Fixture) {
		key := suite.MakeSSHKey(f)
		instance, volume := f.Attached()
		r := suite.Must[instanceResult](f)(f.RebuildInstance(f.Ctx, instance.ID, simcloud.InstanceRebuild{
			UserData: suite.Ptr("#!new"), SSHKeys: &[]simcloud.ID{key},
		}))
		f.Done(r.Operation, "RebuildInstance", simcloud.KindInstance, instance.ID)
		f.Equal("as read", f.MustGetInstance(instance.ID), r.Resource)
		got := r.Resource
		f.Equal("what stays", []any{got.State, got.Addresses, got.Volumes, got.Zone},
			[]any{simcloud.InstanceRunning, instance.Addresses, []simcloud.ID{volume.ID}, instance.Zone})
		f.Equal("what is new", []any{got.UserData, got.SSHKeys}, []any{"#!new", []simcloud.ID{key}})
		again := suite.Must[instanceResult](f)(f.RebuildInstance(f.Ctx, instance.ID, simcloud.InstanceRebuild{})).Resource
		f.Equal("what is nil stays", []any{again.UserData, again.SSHKeys}, []any{"#!new", []simcloud.ID{key}})
		if again.Version <= got.Version {
			f.Errorf("version %d does not tell of the rebuild after %d", again.Version, got.Version)
		}
	})
	s.Test("RebuildInstance/States", func(f *suite.Fixture) {
		id := suite.MakeStopped(f)
		f.Equal("a stopped one", suite.Must[instanceResult](f)(f.RebuildInstance(f.Ctx, id, simcloud.InstanceRebuild{})).Resource.State, simcloud.InstanceRunning)
		suite.Must[instanceResult](f)(f.SuspendInstance(f.Ctx, id))
		f.Equal("a suspended one", suite.Must[instanceResult](f)(f.RebuildInstance(f.Ctx, id, simcloud.InstanceRebuild{})).Resource.State, simcloud.InstanceRunning)
	})
	s.Test("RebuildInstance/Invalid", func(f *suite.Fixture) {
		_, err := f.RebuildInstance(f.Ctx, suite.MakeInstance(f), simcloud.InstanceRebuild{
			UserData: suite.Ptr(string(make([]byte, 64<<10+1))), SSHKeys: &[]simcloud.ID{""},
		})
		f.WantField(err, "userData")
		f.WantField(err, "sshKeys[0]")
		_, err = f.RebuildInstance(f.Ctx, "i-1", simcloud.InstanceRebuild{SSHKeys: &[]simcloud.ID{"key-9"}})
		f.WantField(err, "sshKeys[0]")
	})
	s.TestSlow("RebuildInstance/Slow", func(f *suite.Fixture) {
		id := suite.MakeInstance(f)
		f.Advance(suite.OpDuration)
		r := suite.Must[instanceResult](f)(f.RebuildInstance(f.Ctx, id, simcloud.InstanceRebuild{}))
		f.Equal("at first", []any{r.Resource.State, r.Resource.Operation}, []any{simcloud.InstanceRebuilding, r.Operation.ID})
		f.Advance(suite.OpDuration)
		f.Equal("in the end", f.MustGetInstance(id).State, simcloud.InstanceRunning)
	})
}

func testResize(s suite.Runner) {
	s.Test("ResizeInstance/OK", func(f *suite.Fixture) {
		id := suite.MakeStopped(f)
		r := suite.Must[instanceResult](f)(f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "large"}))
		f.Done(r.Operation, "ResizeInstance", simcloud.KindInstance, id)
		f.Equal("instance", []any{r.Resource.Type, r.Resource.State}, []any{simcloud.ID("large"), simcloud.InstanceStopped})
		f.Equal("as read", f.MustGetInstance(id), r.Resource)
	})
	s.Test("ResizeInstance/Running", func(f *suite.Fixture) {
		id := suite.MakeInstance(f)
		_, err := f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "large"})
		f.Want(err, simcloud.Conflict)
		f.Equal("type", f.MustGetInstance(id).Type, simcloud.ID("small"))
	})
	s.Test("ResizeInstance/Invalid", func(f *suite.Fixture) {
		for _, size := range []simcloud.ID{"", "huge"} {
			_, err := f.ResizeInstance(f.Ctx, suite.MakeStopped(f), simcloud.InstanceResize{Type: size})
			f.WantField(err, "type")
		}
	})
	s.Test("ResizeInstance/ZoneFull", func(f *suite.Fixture) {
		id := suite.MakeStopped(f)
		suite.Must[zoneResult](f)(f.UpdateZone(f.Ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{"large": 0}}))
		_, err := f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "large"})
		f.Want(err, simcloud.Capacity)
		suite.Must[instanceResult](f)(f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "medium"}))
	})
	s.Test("ResizeInstance/Quota", func(f *suite.Fixture) {
		id := suite.MakeStopped(f)
		f.Limit(simcloud.QuotaVCPUs, 4)
		_, err := f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "large"})
		f.Want(err, simcloud.QuotaExceeded)
		suite.Must[instanceResult](f)(f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "medium"}))
	})
}

func testMigrate(s suite.Runner) {
	to := func(zone simcloud.ID) simcloud.InstanceMigration { return simcloud.InstanceMigration{Zone: zone} }
	s.Test("MigrateInstance/OK", func(f *suite.Fixture) {
		before := f.In("zone-a")
		r := suite.Must[instanceResult](f)(f.MigrateInstance(f.Ctx, before.ID, to("zone-b")))
		f.Done(r.Operation, "MigrateInstance", simcloud.KindInstance, before.ID)
		f.Equal("as read", f.MustGetInstance(before.ID), r.Resource)
		before.Zone, before.Version, before.Updated = "zone-b", r.Resource.Version, r.Resource.Updated
		f.Equal("instance", r.Resource, before)
		halted := suite.MakeStopped(f)
		f.Equal("a stopped one", suite.Must[instanceResult](f)(f.MigrateInstance(f.Ctx, halted, to("zone-c"))).Resource.State, simcloud.InstanceStopped)
	})
	s.Test("MigrateInstance/Invalid", func(f *suite.Fixture) {
		suite.Must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.Ctx, simcloud.RegionSpec{Name: "region-2"}))
		suite.Must[zoneResult](f)(f.CreateZone(f.Ctx, simcloud.ZoneSpec{Name: "zone-far", Region: "region-2"}))
		id := suite.MakeInstance(f)
		for _, zone := range []simcloud.ID{"", "zone-z", "zone-far"} {
			_, err := f.MigrateInstance(f.Ctx, id, to(zone))
			f.WantField(err, "zone")
		}
	})
	s.Test("MigrateInstance/Volumes", func(f *suite.Fixture) {
		instance, volume := f.Attached()
		_, err := f.MigrateInstance(f.Ctx, instance.ID, to("zone-b"))
		f.Want(err, simcloud.Conflict)
		suite.Must[volumeResult](f)(f.DetachVolume(f.Ctx, volume.ID))
		suite.Must[instanceResult](f)(f.MigrateInstance(f.Ctx, instance.ID, to("zone-b")))
	})
	s.Test("MigrateInstance/Subnet", func(f *suite.Fixture) {
		spec := simcloud.SubnetSpec{Name: "s", CIDR: "10.0.1.0/24", Zone: "zone-a"}
		subnet := suite.Must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.Ctx, spec)).Resource
		id := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID}).ID
		_, err := f.MigrateInstance(f.Ctx, id, to("zone-b"))
		f.Want(err, simcloud.Conflict)
	})
	s.Test("MigrateInstance/ZoneFull", func(f *suite.Fixture) {
		a := f.In("zone-a").ID
		limitZone(f, "zone-b", 1)
		limitZone(f, "zone-a", 1)
		suite.Must[instanceResult](f)(f.MigrateInstance(f.Ctx, a, to("zone-b")))
		other := f.In("zone-a").ID
		_, err := f.MigrateInstance(f.Ctx, other, to("zone-b"))
		f.Want(err, simcloud.Capacity)
		f.WantResource(err, "zone/zone-b")
	})
	s.TestSlow("MigrateInstance/Slow", func(f *suite.Fixture) {
		id := f.In("zone-a").ID
		f.Advance(suite.OpDuration)
		suite.Must[instanceResult](f)(f.SuspendInstance(f.Ctx, id))
		f.Advance(suite.OpDuration)
		r := suite.Must[instanceResult](f)(f.MigrateInstance(f.Ctx, id, to("zone-b")))
		f.Equal("at first", []any{r.Resource.State, r.Resource.Operation}, []any{simcloud.InstanceMigrating, r.Operation.ID})
		f.Advance(suite.OpDuration)
		got := f.MustGetInstance(id)
		f.Equal("in the end", []any{got.State, got.Zone}, []any{simcloud.InstanceSuspended, simcloud.ID("zone-b")})
	})
}
