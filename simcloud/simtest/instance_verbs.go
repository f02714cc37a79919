package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type instanceResult = simcloud.Result[simcloud.Instance]

func testInstanceVerbs(s suite) {
	testSuspend(s)
	testRebuild(s)
	testResize(s)
	testMigrate(s)
}

func testSuspend(s suite) {
	s.run("SuspendInstance/OK", func(f *fixture) {
		used := f.used()
		before := f.getInstance(used.Instance)
		r := must[instanceResult](f)(f.SuspendInstance(f.ctx, used.Instance))
		f.done(r.Operation, "SuspendInstance", simcloud.KindInstance, used.Instance)
		f.equal("state", r.Resource.State, simcloud.InstanceSuspended)
		f.equal("addresses stay", r.Resource.Addresses, before.Addresses)
		f.equal("health", f.getLoadBalancer(used.LB).Targets[0].Health, simcloud.TargetUnhealthy)
		f.equal("once it goes on", must[instanceResult](f)(f.StartInstance(f.ctx, used.Instance)).Resource.State, simcloud.InstanceRunning)
		f.equal("health once it goes on", f.getLoadBalancer(used.LB).Targets[0].Health, simcloud.TargetHealthy)
	})
	s.run("SuspendInstance/Stopped", func(f *fixture) {
		_, err := f.SuspendInstance(f.ctx, stopped(f))
		f.want(err, simcloud.Conflict)
	})
	s.run("StopInstance/Suspended", func(f *fixture) {
		id := anInstance(f)
		must[instanceResult](f)(f.SuspendInstance(f.ctx, id))
		_, err := f.RebootInstance(f.ctx, id)
		f.want(err, simcloud.Conflict)
		f.equal("state", must[instanceResult](f)(f.StopInstance(f.ctx, id)).Resource.State, simcloud.InstanceStopped)
	})
	s.runSlow("SuspendInstance/Slow", func(f *fixture) {
		id := anInstance(f)
		f.advance(opDuration)
		r := must[instanceResult](f)(f.SuspendInstance(f.ctx, id))
		f.equal("at first", []any{r.Resource.State, r.Resource.Operation}, []any{simcloud.InstanceRunning, r.Operation.ID})
		f.advance(opDuration)
		f.equal("in the end", f.getInstance(id).State, simcloud.InstanceSuspended)
		r = must[instanceResult](f)(f.StartInstance(f.ctx, id))
		f.equal("on its way back it does not boot", r.Resource.State, simcloud.InstanceSuspended)
		f.advance(opDuration)
		f.equal("back", f.getInstance(id).State, simcloud.InstanceRunning)
	})
}

func testRebuild(s suite) {
	s.run("RebuildInstance/OK", func(f *fixture) {
		key := anSSHKey(f)
		instance, volume := f.attached()
		r := must[instanceResult](f)(f.RebuildInstance(f.ctx, instance.ID, simcloud.InstanceRebuild{
			UserData: ptr("#!new"), SSHKeys: &[]simcloud.ID{key},
		}))
		f.done(r.Operation, "RebuildInstance", simcloud.KindInstance, instance.ID)
		f.equal("as read", f.getInstance(instance.ID), r.Resource)
		got := r.Resource
		f.equal("what stays", []any{got.State, got.Addresses, got.Volumes, got.Zone},
			[]any{simcloud.InstanceRunning, instance.Addresses, []simcloud.ID{volume.ID}, instance.Zone})
		f.equal("what is new", []any{got.UserData, got.SSHKeys}, []any{"#!new", []simcloud.ID{key}})
		again := must[instanceResult](f)(f.RebuildInstance(f.ctx, instance.ID, simcloud.InstanceRebuild{})).Resource
		f.equal("what is nil stays", []any{again.UserData, again.SSHKeys}, []any{"#!new", []simcloud.ID{key}})
		if again.Version <= got.Version {
			f.Errorf("version %d does not tell of the rebuild after %d", again.Version, got.Version)
		}
	})
	s.run("RebuildInstance/States", func(f *fixture) {
		id := stopped(f)
		f.equal("a stopped one", must[instanceResult](f)(f.RebuildInstance(f.ctx, id, simcloud.InstanceRebuild{})).Resource.State, simcloud.InstanceRunning)
		must[instanceResult](f)(f.SuspendInstance(f.ctx, id))
		f.equal("a suspended one", must[instanceResult](f)(f.RebuildInstance(f.ctx, id, simcloud.InstanceRebuild{})).Resource.State, simcloud.InstanceRunning)
	})
	s.run("RebuildInstance/Invalid", func(f *fixture) {
		_, err := f.RebuildInstance(f.ctx, anInstance(f), simcloud.InstanceRebuild{
			UserData: ptr(string(make([]byte, 64<<10+1))), SSHKeys: &[]simcloud.ID{""},
		})
		f.wantField(err, "userData")
		f.wantField(err, "sshKeys[0]")
		_, err = f.RebuildInstance(f.ctx, "i-1", simcloud.InstanceRebuild{SSHKeys: &[]simcloud.ID{"key-9"}})
		f.wantField(err, "sshKeys[0]")
	})
	s.runSlow("RebuildInstance/Slow", func(f *fixture) {
		id := anInstance(f)
		f.advance(opDuration)
		r := must[instanceResult](f)(f.RebuildInstance(f.ctx, id, simcloud.InstanceRebuild{}))
		f.equal("at first", []any{r.Resource.State, r.Resource.Operation}, []any{simcloud.InstanceRebuilding, r.Operation.ID})
		f.advance(opDuration)
		f.equal("in the end", f.getInstance(id).State, simcloud.InstanceRunning)
	})
}

func testResize(s suite) {
	s.run("ResizeInstance/OK", func(f *fixture) {
		id := stopped(f)
		r := must[instanceResult](f)(f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "large"}))
		f.done(r.Operation, "ResizeInstance", simcloud.KindInstance, id)
		f.equal("instance", []any{r.Resource.Type, r.Resource.State}, []any{simcloud.ID("large"), simcloud.InstanceStopped})
		f.equal("as read", f.getInstance(id), r.Resource)
	})
	s.run("ResizeInstance/Running", func(f *fixture) {
		id := anInstance(f)
		_, err := f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "large"})
		f.want(err, simcloud.Conflict)
		f.equal("type", f.getInstance(id).Type, simcloud.ID("small"))
	})
	s.run("ResizeInstance/Invalid", func(f *fixture) {
		for _, size := range []simcloud.ID{"", "huge"} {
			_, err := f.ResizeInstance(f.ctx, stopped(f), simcloud.InstanceResize{Type: size})
			f.wantField(err, "type")
		}
	})
	s.run("ResizeInstance/ZoneFull", func(f *fixture) {
		id := stopped(f)
		must[zoneResult](f)(f.UpdateZone(f.ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{"large": 0}}))
		_, err := f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "large"})
		f.want(err, simcloud.Capacity)
		must[instanceResult](f)(f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "medium"}))
	})
	s.run("ResizeInstance/Quota", func(f *fixture) {
		id := stopped(f)
		f.limit(simcloud.QuotaVCPUs, 4)
		_, err := f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "large"})
		f.want(err, simcloud.QuotaExceeded)
		must[instanceResult](f)(f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "medium"}))
	})
}

func testMigrate(s suite) {
	to := func(zone simcloud.ID) simcloud.InstanceMigration { return simcloud.InstanceMigration{Zone: zone} }
	s.run("MigrateInstance/OK", func(f *fixture) {
		before := f.in("zone-a")
		r := must[instanceResult](f)(f.MigrateInstance(f.ctx, before.ID, to("zone-b")))
		f.done(r.Operation, "MigrateInstance", simcloud.KindInstance, before.ID)
		f.equal("as read", f.getInstance(before.ID), r.Resource)
		before.Zone, before.Version, before.Updated = "zone-b", r.Resource.Version, r.Resource.Updated
		f.equal("instance", r.Resource, before)
		halted := stopped(f)
		f.equal("a stopped one", must[instanceResult](f)(f.MigrateInstance(f.ctx, halted, to("zone-c"))).Resource.State, simcloud.InstanceStopped)
	})
	s.run("MigrateInstance/Invalid", func(f *fixture) {
		must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.ctx, simcloud.RegionSpec{Name: "region-2"}))
		must[zoneResult](f)(f.CreateZone(f.ctx, simcloud.ZoneSpec{Name: "zone-far", Region: "region-2"}))
		id := anInstance(f)
		for _, zone := range []simcloud.ID{"", "zone-z", "zone-far"} {
			_, err := f.MigrateInstance(f.ctx, id, to(zone))
			f.wantField(err, "zone")
		}
	})
	s.run("MigrateInstance/Volumes", func(f *fixture) {
		instance, volume := f.attached()
		_, err := f.MigrateInstance(f.ctx, instance.ID, to("zone-b"))
		f.want(err, simcloud.Conflict)
		must[volumeResult](f)(f.DetachVolume(f.ctx, volume.ID))
		must[instanceResult](f)(f.MigrateInstance(f.ctx, instance.ID, to("zone-b")))
	})
	s.run("MigrateInstance/Subnet", func(f *fixture) {
		spec := simcloud.SubnetSpec{Name: "s", CIDR: "10.0.1.0/24", Zone: "zone-a"}
		subnet := must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.ctx, spec)).Resource
		id := f.instanceOf(simcloud.InstanceSpec{Name: "a", Subnet: subnet.ID}).ID
		_, err := f.MigrateInstance(f.ctx, id, to("zone-b"))
		f.want(err, simcloud.Conflict)
	})
	s.run("MigrateInstance/ZoneFull", func(f *fixture) {
		a := f.in("zone-a").ID
		limitZone(f, "zone-b", 1)
		limitZone(f, "zone-a", 1)
		must[instanceResult](f)(f.MigrateInstance(f.ctx, a, to("zone-b")))
		other := f.in("zone-a").ID
		_, err := f.MigrateInstance(f.ctx, other, to("zone-b"))
		f.want(err, simcloud.Capacity)
		f.wantResource(err, "zone/zone-b")
	})
	s.runSlow("MigrateInstance/Slow", func(f *fixture) {
		id := f.in("zone-a").ID
		f.advance(opDuration)
		must[instanceResult](f)(f.SuspendInstance(f.ctx, id))
		f.advance(opDuration)
		r := must[instanceResult](f)(f.MigrateInstance(f.ctx, id, to("zone-b")))
		f.equal("at first", []any{r.Resource.State, r.Resource.Operation}, []any{simcloud.InstanceMigrating, r.Operation.ID})
		f.advance(opDuration)
		got := f.getInstance(id)
		f.equal("in the end", []any{got.State, got.Zone}, []any{simcloud.InstanceSuspended, simcloud.ID("zone-b")})
	})
}
