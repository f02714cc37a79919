package simtest

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// wantFree fails the test unless the volume is attached to nothing.
func wantFree(f *fixture, id simcloud.ID) {
	f.Helper()
	v := f.getVolume(id)
	f.equal("a free volume", []any{v.State, v.AttachedTo, v.Device, v.Operation}, []any{simcloud.VolumeAvailable, simcloud.ID(""), "", simcloud.ID("")})
}

func testVolumeAttachment(s suite) {
	s.run("AttachVolume/OK", func(f *fixture) {
		id := f.in("zone-a").ID
		var r volumeResult
		f.equal("events", f.storyOf(func() {
			r = must[volumeResult](f)(f.AttachVolume(f.ctx, aVolume(f), simcloud.VolumeAttachment{Instance: id}))
		}), []string{"created volume/vol-1", "updated volume/vol-1", "updated instance/i-1"})
		f.done(r.Operation, "AttachVolume", simcloud.KindVolume, "vol-1")
		f.equal("as read", f.getVolume("vol-1"), r.Resource)
		f.equal("volume", []any{r.Resource.State, r.Resource.AttachedTo, r.Resource.Device}, []any{simcloud.VolumeInUse, id, "/dev/sdb"})
		f.equal("volumes of the instance", f.getInstance(id).Volumes, []simcloud.ID{"vol-1"})
	})
	s.run("AttachVolume/Devices", func(f *fixture) {
		instance, first := f.attached()
		second := f.volume("w")
		to := simcloud.VolumeAttachment{Instance: instance.ID, Device: "/dev/sdc"}
		must[volumeResult](f)(f.AttachVolume(f.ctx, second.ID, to))
		third := f.attach(f.volume("x").ID, instance.ID)
		f.equal("the next that is free", third.Device, "/dev/sdd")
		must[volumeResult](f)(f.DetachVolume(f.ctx, first.ID))
		f.equal("volumes in their order", f.getInstance(instance.ID).Volumes, []simcloud.ID{second.ID, third.ID})
		f.equal("the first that is free", f.attach(first.ID, instance.ID).Device, "/dev/sdb")
		_, err := f.AttachVolume(f.ctx, f.volume("y").ID, to)
		f.want(err, simcloud.AlreadyExists)
		_, err = f.AttachVolume(f.ctx, "vol-4", simcloud.VolumeAttachment{Instance: instance.ID, Device: "/dev/sda"})
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("AttachVolume/NoDeviceLeft", func(f *fixture) {
		instance := f.in("zone-a")
		for n := range 25 {
			f.attach(f.volume(fmt.Sprintf("v%d", n)).ID, instance.ID)
		}
		_, err := f.AttachVolume(f.ctx, f.volume("w").ID, simcloud.VolumeAttachment{Instance: instance.ID})
		f.want(err, simcloud.Capacity)
	})
	s.run("AttachVolume/Invalid", func(f *fixture) {
		_, err := f.AttachVolume(f.ctx, aVolume(f), simcloud.VolumeAttachment{Device: "sdb"})
		f.wantField(err, "instance")
		f.wantField(err, "device")
		_, err = f.AttachVolume(f.ctx, aVolume(f), simcloud.VolumeAttachment{Instance: "i-99"})
		f.wantField(err, "instance")
	})
	s.run("AttachVolume/InUse", func(f *fixture) {
		_, volume := f.attached()
		other := f.instanceOf(simcloud.InstanceSpec{Name: "b", Zone: "zone-a"})
		_, err := f.AttachVolume(f.ctx, volume.ID, simcloud.VolumeAttachment{Instance: other.ID})
		f.want(err, simcloud.InUse)
		f.wantResource(err, "volume/vol-1")
	})
	s.run("AttachVolume/OtherDevice", func(f *fixture) {
		instance, volume := f.attached()
		_, err := f.AttachVolume(f.ctx, volume.ID, simcloud.VolumeAttachment{Instance: instance.ID, Device: "/dev/sdx"})
		f.want(err, simcloud.Conflict)
	})
	s.run("AttachVolume/OtherZone", func(f *fixture) {
		instance := f.instanceOf(simcloud.InstanceSpec{Name: "a", Zone: "zone-b"})
		_, err := f.AttachVolume(f.ctx, aVolume(f), simcloud.VolumeAttachment{Instance: instance.ID})
		f.want(err, simcloud.Conflict)
	})
	s.run("DetachVolume/OK", func(f *fixture) {
		instance, volume := f.attached()
		r := must[volumeResult](f)(f.DetachVolume(f.ctx, volume.ID))
		f.done(r.Operation, "DetachVolume", simcloud.KindVolume, volume.ID)
		wantFree(f, volume.ID)
		f.equal("volumes of the instance", f.getInstance(instance.ID).Volumes, []simcloud.ID(nil))
	})
	s.run("DeleteInstance/Volumes", func(f *fixture) {
		instance, volume := f.attached()
		f.equal("events", f.storyOf(func() { drop(f)(f.DeleteInstance(f.ctx, instance.ID)) }),
			[]string{"updated volume/vol-1", "deleted instance/i-1"})
		wantFree(f, volume.ID)
	})
	s.run("RecreateInstance/Volumes", func(f *fixture) {
		instance, volume := f.attached()
		r := must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, instance.ID))
		f.equal("volumes of the new one", r.Resource.Volumes, []simcloud.ID(nil))
		wantFree(f, volume.ID)
	})
	testSlowVolumes(s)
}

func testSlowVolumes(s suite) {
	s.runSlow("CreateVolume/Slow", func(f *fixture) {
		f.equal("state at first", f.volume("v").State, simcloud.VolumeCreating)
		_, err := f.DeleteVolume(f.ctx, "vol-1")
		f.want(err, simcloud.Locked)
		f.advance(opDuration)
		wantFree(f, "vol-1")
	})
	s.runSlow("DeleteVolume/Slow", func(f *fixture) {
		id := aVolume(f)
		f.advance(opDuration)
		op := must[simcloud.Operation](f)(f.DeleteVolume(f.ctx, id))
		f.equal("volume at first", []any{f.getVolume(id).State, f.getVolume(id).Operation}, []any{simcloud.VolumeDeleting, op.ID})
		f.advance(opDuration)
		_, err := f.GetVolume(f.ctx, id)
		f.want(err, simcloud.NotFound)
	})
	s.runSlow("AttachVolume/Slow", func(f *fixture) {
		instance, volume := slowVolume(f)
		r := must[volumeResult](f)(f.AttachVolume(f.ctx, volume, simcloud.VolumeAttachment{Instance: instance}))
		f.equal("volume at first", []any{r.Resource.State, r.Resource.AttachedTo, r.Resource.Operation},
			[]any{simcloud.VolumeAttaching, instance, r.Operation.ID})
		f.equal("instance at first", f.getInstance(instance).Volumes, []simcloud.ID{volume})
		f.check()
		_, err := f.DetachVolume(f.ctx, volume)
		f.want(err, simcloud.Locked)
		_, err = f.DeleteInstance(f.ctx, instance)
		f.want(err, simcloud.Locked)
		f.advance(opDuration)
		f.equal("state in the end", f.getVolume(volume).State, simcloud.VolumeInUse)
		f.equal("what locks them in the end", []simcloud.ID{f.getVolume(volume).Operation, f.getInstance(instance).Operation}, []simcloud.ID{"", ""})
	})
	s.runSlow("DetachVolume/Slow", func(f *fixture) {
		instance, volume := slowVolume(f)
		f.attach(volume, instance)
		f.advance(opDuration)
		r := must[volumeResult](f)(f.DetachVolume(f.ctx, volume))
		f.equal("volume at first", []any{r.Resource.State, r.Resource.AttachedTo}, []any{simcloud.VolumeDetaching, instance})
		f.equal("instance at first", f.getInstance(instance).Volumes, []simcloud.ID{volume})
		f.check()
		f.advance(opDuration)
		wantFree(f, volume)
		f.equal("instance in the end", []any{f.getInstance(instance).Volumes, f.getInstance(instance).Operation}, []any{[]simcloud.ID(nil), simcloud.ID("")})
	})
	s.runSlow("AttachVolume/Locked", func(f *fixture) {
		instance, volume := slowVolume(f)
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, instance))
		_, err := f.AttachVolume(f.ctx, volume, simcloud.VolumeAttachment{Instance: instance})
		f.want(err, simcloud.Locked)
		f.wantResource(err, "instance/"+string(instance))
	})
	for _, verb := range []string{"DeleteInstance", "RecreateInstance"} {
		s.runSlow(verb+"/SlowWithVolumes", func(f *fixture) {
			instance, volume := slowVolume(f)
			f.attach(volume, instance)
			f.advance(opDuration)
			if err := mutationNamed(verb).call(f, instance); err != nil {
				f.Fatal(err)
			}
			f.equal("volume at first", []any{f.getVolume(volume).State, f.getVolume(volume).AttachedTo}, []any{simcloud.VolumeDetaching, instance})
			f.check()
			_, err := f.DetachVolume(f.ctx, volume)
			f.want(err, simcloud.Locked)
			f.advance(opDuration)
			wantFree(f, volume)
		})
	}
}

// slowVolume makes an instance and a volume beside each other, and waits for them.
func slowVolume(f *fixture) (instance, volume simcloud.ID) {
	f.Helper()
	instance, volume = f.in("zone-a").ID, aVolume(f)
	f.advance(opDuration)
	return instance, volume
}
