package compute

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// wantFree fails the test unless the volume is attached to nothing.
func wantFree(f *suite.Fixture, id simcloud.ID) {
	f.Helper()
	v := f.MustGetVolume(id)
	f.Equal("a free volume", []any{v.State, v.AttachedTo, v.Device, v.Operation}, []any{simcloud.VolumeAvailable, simcloud.ID(""), "", simcloud.ID("")})
}

func testVolumeAttachment(s suite.Runner) {
	s.Test("AttachVolume/OK", func(f *suite.Fixture) {
		id := f.In("zone-a").ID
		var r volumeResult
		f.Equal("events", f.StoryOf(func() {
			r = suite.Must[volumeResult](f)(f.AttachVolume(f.Ctx, suite.MakeVolume(f), simcloud.VolumeAttachment{Instance: id}))
		}), []string{"created volume/vol-1", "updated volume/vol-1", "updated instance/i-1"})
		f.Done(r.Operation, "AttachVolume", simcloud.KindVolume, "vol-1")
		f.Equal("as read", f.MustGetVolume("vol-1"), r.Resource)
		f.Equal("volume", []any{r.Resource.State, r.Resource.AttachedTo, r.Resource.Device}, []any{simcloud.VolumeInUse, id, "/dev/sdb"})
		f.Equal("volumes of the instance", f.MustGetInstance(id).Volumes, []simcloud.ID{"vol-1"})
	})
	s.Test("AttachVolume/Devices", func(f *suite.Fixture) {
		instance, first := f.Attached()
		second := f.Volume("w")
		to := simcloud.VolumeAttachment{Instance: instance.ID, Device: "/dev/sdc"}
		suite.Must[volumeResult](f)(f.AttachVolume(f.Ctx, second.ID, to))
		third := f.Attach(f.Volume("x").ID, instance.ID)
		f.Equal("the next that is free", third.Device, "/dev/sdd")
		suite.Must[volumeResult](f)(f.DetachVolume(f.Ctx, first.ID))
		f.Equal("volumes in their order", f.MustGetInstance(instance.ID).Volumes, []simcloud.ID{second.ID, third.ID})
		f.Equal("the first that is free", f.Attach(first.ID, instance.ID).Device, "/dev/sdb")
		_, err := f.AttachVolume(f.Ctx, f.Volume("y").ID, to)
		f.Want(err, simcloud.AlreadyExists)
		_, err = f.AttachVolume(f.Ctx, "vol-4", simcloud.VolumeAttachment{Instance: instance.ID, Device: "/dev/sda"})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("AttachVolume/NoDeviceLeft", func(f *suite.Fixture) {
		instance := f.In("zone-a")
		for n := range 25 {
			f.Attach(f.Volume(fmt.Sprintf("v%d", n)).ID, instance.ID)
		}
		_, err := f.AttachVolume(f.Ctx, f.Volume("w").ID, simcloud.VolumeAttachment{Instance: instance.ID})
		f.Want(err, simcloud.Capacity)
	})
	s.Test("AttachVolume/Invalid", func(f *suite.Fixture) {
		_, err := f.AttachVolume(f.Ctx, suite.MakeVolume(f), simcloud.VolumeAttachment{Device: "sdb"})
		f.WantField(err, "instance")
		f.WantField(err, "device")
		_, err = f.AttachVolume(f.Ctx, suite.MakeVolume(f), simcloud.VolumeAttachment{Instance: "i-99"})
		f.WantField(err, "instance")
	})
	s.Test("AttachVolume/InUse", func(f *suite.Fixture) {
		_, volume := f.Attached()
		other := f.InstanceOf(simcloud.InstanceSpec{Name: "b", Zone: "zone-a"})
		_, err := f.AttachVolume(f.Ctx, volume.ID, simcloud.VolumeAttachment{Instance: other.ID})
		f.Want(err, simcloud.InUse)
		f.WantResource(err, "volume/vol-1")
	})
	s.Test("AttachVolume/OtherDevice", func(f *suite.Fixture) {
		instance, volume := f.Attached()
		_, err := f.AttachVolume(f.Ctx, volume.ID, simcloud.VolumeAttachment{Instance: instance.ID, Device: "/dev/sdx"})
		f.Want(err, simcloud.Conflict)
	})
	s.Test("AttachVolume/OtherZone", func(f *suite.Fixture) {
		instance := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Zone: "zone-b"})
		_, err := f.AttachVolume(f.Ctx, suite.MakeVolume(f), simcloud.VolumeAttachment{Instance: instance.ID})
		f.Want(err, simcloud.Conflict)
	})
	s.Test("DetachVolume/OK", func(f *suite.Fixture) {
		instance, volume := f.Attached()
		r := suite.Must[volumeResult](f)(f.DetachVolume(f.Ctx, volume.ID))
		f.Done(r.Operation, "DetachVolume", simcloud.KindVolume, volume.ID)
		wantFree(f, volume.ID)
		f.Equal("volumes of the instance", f.MustGetInstance(instance.ID).Volumes, []simcloud.ID(nil))
	})
	s.Test("DeleteInstance/Volumes", func(f *suite.Fixture) {
		instance, volume := f.Attached()
		f.Equal("events", f.StoryOf(func() { suite.Drop(f)(f.DeleteInstance(f.Ctx, instance.ID)) }),
			[]string{"updated volume/vol-1", "deleted instance/i-1"})
		wantFree(f, volume.ID)
	})
	s.Test("RecreateInstance/Volumes", func(f *suite.Fixture) {
		instance, volume := f.Attached()
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, instance.ID))
		f.Equal("volumes of the new one", r.Resource.Volumes, []simcloud.ID(nil))
		wantFree(f, volume.ID)
	})
	testSlowVolumes(s)
}

func testSlowVolumes(s suite.Runner) {
	s.TestSlow("CreateVolume/Slow", func(f *suite.Fixture) {
		f.Equal("state at first", f.Volume("v").State, simcloud.VolumeCreating)
		_, err := f.DeleteVolume(f.Ctx, "vol-1")
		f.Want(err, simcloud.Locked)
		f.Advance(suite.OpDuration)
		wantFree(f, "vol-1")
	})
	s.TestSlow("DeleteVolume/Slow", func(f *suite.Fixture) {
		id := suite.MakeVolume(f)
		f.Advance(suite.OpDuration)
		op := suite.Must[simcloud.Operation](f)(f.DeleteVolume(f.Ctx, id))
		f.Equal("volume at first", []any{f.MustGetVolume(id).State, f.MustGetVolume(id).Operation}, []any{simcloud.VolumeDeleting, op.ID})
		f.Advance(suite.OpDuration)
		_, err := f.GetVolume(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
	})
	s.TestSlow("AttachVolume/Slow", func(f *suite.Fixture) {
		instance, volume := slowVolume(f)
		r := suite.Must[volumeResult](f)(f.AttachVolume(f.Ctx, volume, simcloud.VolumeAttachment{Instance: instance}))
		f.Equal("volume at first", []any{r.Resource.State, r.Resource.AttachedTo, r.Resource.Operation},
			[]any{simcloud.VolumeAttaching, instance, r.Operation.ID})
		f.Equal("instance at first", f.MustGetInstance(instance).Volumes, []simcloud.ID{volume})
		f.Check()
		_, err := f.DetachVolume(f.Ctx, volume)
		f.Want(err, simcloud.Locked)
		_, err = f.DeleteInstance(f.Ctx, instance)
		f.Want(err, simcloud.Locked)
		f.Advance(suite.OpDuration)
		f.Equal("state in the end", f.MustGetVolume(volume).State, simcloud.VolumeInUse)
		f.Equal("what locks them in the end", []simcloud.ID{f.MustGetVolume(volume).Operation, f.MustGetInstance(instance).Operation}, []simcloud.ID{"", ""})
	})
	s.TestSlow("DetachVolume/Slow", func(f *suite.Fixture) {
		instance, volume := slowVolume(f)
		f.Attach(volume, instance)
		f.Advance(suite.OpDuration)
		r := suite.Must[volumeResult](f)(f.DetachVolume(f.Ctx, volume))
		f.Equal("volume at first", []any{r.Resource.State, r.Resource.AttachedTo}, []any{simcloud.VolumeDetaching, instance})
		f.Equal("instance at first", f.MustGetInstance(instance).Volumes, []simcloud.ID{volume})
		f.Check()
		f.Advance(suite.OpDuration)
		wantFree(f, volume)
		f.Equal("instance in the end", []any{f.MustGetInstance(instance).Volumes, f.MustGetInstance(instance).Operation}, []any{[]simcloud.ID(nil), simcloud.ID("")})
	})
	s.TestSlow("AttachVolume/Locked", func(f *suite.Fixture) {
		instance, volume := slowVolume(f)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, instance))
		_, err := f.AttachVolume(f.Ctx, volume, simcloud.VolumeAttachment{Instance: instance})
		f.Want(err, simcloud.Locked)
		f.WantResource(err, "instance/"+string(instance))
	})
	for _, verb := range []string{"DeleteInstance", "RecreateInstance"} {
		s.TestSlow(verb+"/SlowWithVolumes", func(f *suite.Fixture) {
			instance, volume := slowVolume(f)
			f.Attach(volume, instance)
			f.Advance(suite.OpDuration)
			if err := suite.MutationNamed(verb).Call(f, instance); err != nil {
				f.Fatal(err)
			}
			f.Equal("volume at first", []any{f.MustGetVolume(volume).State, f.MustGetVolume(volume).AttachedTo}, []any{simcloud.VolumeDetaching, instance})
			f.Check()
			_, err := f.DetachVolume(f.Ctx, volume)
			f.Want(err, simcloud.Locked)
			f.Advance(suite.OpDuration)
			wantFree(f, volume)
		})
	}
}

// slowVolume makes an instance and a volume beside each other, and waits for them.
func slowVolume(f *suite.Fixture) (instance, volume simcloud.ID) {
	f.Helper()
	instance, volume = f.In("zone-a").ID, suite.MakeVolume(f)
	f.Advance(suite.OpDuration)
	return instance, volume
}
