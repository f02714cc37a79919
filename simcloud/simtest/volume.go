package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type volumeResult = simcloud.Result[simcloud.Volume]

func testVolumes(s suite) {
	s.run("GetVolume/NotFound", func(f *fixture) {
		_, err := f.GetVolume(f.ctx, "vol-1")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "volume/vol-1")
	})
	s.run("CreateVolume/Defaults", func(f *fixture) {
		r := must[volumeResult](f)(f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1}))
		f.done(r.Operation, "CreateVolume", simcloud.KindVolume, "vol-1")
		f.equal("as read", f.getVolume("vol-1"), r.Resource)
		got := r.Resource
		f.equal("volume", []any{got.State, got.SizeGiB, got.Type, got.Region, got.Zone, got.AttachedTo, got.Device},
			[]any{simcloud.VolumeAvailable, 1, simcloud.VolumeSSD, simcloud.ID("region-1"), simcloud.ID("zone-a"), simcloud.ID(""), ""})
	})
	s.run("CreateVolume/Full", func(f *fixture) {
		spec := simcloud.VolumeSpec{Name: "v", SizeGiB: 7, Type: simcloud.VolumeHDD, Zone: "zone-c", Labels: map[string]string{"k": "v"}}
		got := must[volumeResult](f)(f.CreateVolume(f.ctx, spec)).Resource
		f.equal("what was asked for", []any{got.Name, got.SizeGiB, got.Type, got.Zone, got.Labels},
			[]any{"v", 7, simcloud.VolumeHDD, simcloud.ID("zone-c"), spec.Labels})
	})
	s.run("CreateVolume/FirstAvailableZone", func(f *fixture) {
		f.setZone("zone-a", simcloud.ZoneDegraded)
		got := must[volumeResult](f)(f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1})).Resource
		f.equal("zone", got.Zone, simcloud.ID("zone-b"))
		f.equal("degraded, by name", f.volume("w").Zone, simcloud.ID("zone-a"))
		f.setZone("zone-b", simcloud.ZoneDown)
		f.setZone("zone-c", simcloud.ZoneDown)
		_, err := f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1})
		f.want(err, simcloud.Capacity)
		_, err = f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: "zone-b"})
		wantDown(f, err)
	})
	s.run("CreateVolume/Invalid", func(f *fixture) {
		_, err := f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "-", Type: "tape", Labels: map[string]string{"": ""}})
		for _, field := range []string{"name", "sizeGiB", "type", "labels"} {
			f.wantField(err, field)
		}
		_, err = f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: "zone-z"})
		f.wantField(err, "zone")
	})
	s.run("UpdateVolume/OK", func(f *fixture) {
		r := must[volumeResult](f)(f.UpdateVolume(f.ctx, aVolume(f), simcloud.VolumeUpdate{Name: ptr("w"), Labels: &map[string]string{"k": "v"}}))
		f.done(r.Operation, "UpdateVolume", simcloud.KindVolume, "vol-1")
		f.equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"w", map[string]string{"k": "v"}})
		f.equal("as read", f.getVolume("vol-1"), r.Resource)
	})
	s.run("UpdateVolume/Invalid", func(f *fixture) {
		_, err := f.UpdateVolume(f.ctx, aVolume(f), simcloud.VolumeUpdate{Name: ptr("")})
		f.wantField(err, "name")
	})
	s.run("ResizeVolume/OK", func(f *fixture) {
		_, volume := f.attached()
		r := must[volumeResult](f)(f.ResizeVolume(f.ctx, volume.ID, simcloud.VolumeResize{SizeGiB: 11}))
		f.done(r.Operation, "ResizeVolume", simcloud.KindVolume, volume.ID)
		f.equal("size of an attached one", f.getVolume(volume.ID).SizeGiB, 11)
	})
	s.run("ResizeVolume/Invalid", func(f *fixture) {
		for _, size := range []int{0, 9, 64<<10 + 1} {
			_, err := f.ResizeVolume(f.ctx, aVolume(f), simcloud.VolumeResize{SizeGiB: size})
			f.wantField(err, "sizeGiB")
		}
	})
	s.run("DeleteVolume/OK", func(f *fixture) {
		id := aVolume(f)
		f.done(must[simcloud.Operation](f)(f.DeleteVolume(f.ctx, id)), "DeleteVolume", simcloud.KindVolume, id)
		_, err := f.GetVolume(f.ctx, id)
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteVolume/InUse", func(f *fixture) {
		_, volume := f.attached()
		_, err := f.DeleteVolume(f.ctx, volume.ID)
		f.want(err, simcloud.InUse)
		f.wantResource(err, "volume/vol-1")
	})
	s.run("DeleteZone/VolumesInIt", func(f *fixture) {
		aVolume(f)
		_, err := f.DeleteZone(f.ctx, "zone-a")
		f.want(err, simcloud.InUse)
	})
}
