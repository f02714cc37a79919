package compute

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type volumeResult = simcloud.Result[simcloud.Volume]

func testVolumes(s suite.Runner) {
	s.Test("GetVolume/NotFound", func(f *suite.Fixture) {
		_, err := f.GetVolume(f.Ctx, "vol-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "volume/vol-1")
	})
	s.Test("CreateVolume/Defaults", func(f *suite.Fixture) {
		r := suite.Must[volumeResult](f)(f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1}))
		f.Done(r.Operation, "CreateVolume", simcloud.KindVolume, "vol-1")
		f.Equal("as read", f.MustGetVolume("vol-1"), r.Resource)
		got := r.Resource
		f.Equal("volume", []any{got.State, got.SizeGiB, got.Type, got.Region, got.Zone, got.AttachedTo, got.Device},
			[]any{simcloud.VolumeAvailable, 1, simcloud.VolumeSSD, simcloud.ID("region-1"), simcloud.ID("zone-a"), simcloud.ID(""), ""})
	})
	s.Test("CreateVolume/Full", func(f *suite.Fixture) {
		spec := simcloud.VolumeSpec{Name: "v", SizeGiB: 7, Type: simcloud.VolumeHDD, Zone: "zone-c", Labels: map[string]string{"k": "v"}}
		got := suite.Must[volumeResult](f)(f.CreateVolume(f.Ctx, spec)).Resource
		f.Equal("what was asked for", []any{got.Name, got.SizeGiB, got.Type, got.Zone, got.Labels},
			[]any{"v", 7, simcloud.VolumeHDD, simcloud.ID("zone-c"), spec.Labels})
	})
	s.Test("CreateVolume/FirstAvailableZone", func(f *suite.Fixture) {
		f.SetZone("zone-a", simcloud.ZoneDegraded)
		got := suite.Must[volumeResult](f)(f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1})).Resource
		f.Equal("zone", got.Zone, simcloud.ID("zone-b"))
		f.Equal("degraded, by name", f.Volume("w").Zone, simcloud.ID("zone-a"))
		f.SetZone("zone-b", simcloud.ZoneDown)
		f.SetZone("zone-c", simcloud.ZoneDown)
		_, err := f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1})
		f.Want(err, simcloud.Capacity)
		_, err = f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: "zone-b"})
		wantDown(f, err)
	})
	s.Test("CreateVolume/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "-", Type: "tape", Labels: map[string]string{"": ""}})
		for _, field := range []string{"name", "sizeGiB", "type", "labels"} {
			f.WantField(err, field)
		}
		_, err = f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: "zone-z"})
		f.WantField(err, "zone")
	})
	s.Test("UpdateVolume/OK", func(f *suite.Fixture) {
		r := suite.Must[volumeResult](f)(f.UpdateVolume(f.Ctx, suite.MakeVolume(f), simcloud.VolumeUpdate{Name: suite.Ptr("w"), Labels: &map[string]string{"k": "v"}}))
		f.Done(r.Operation, "UpdateVolume", simcloud.KindVolume, "vol-1")
		f.Equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"w", map[string]string{"k": "v"}})
		f.Equal("as read", f.MustGetVolume("vol-1"), r.Resource)
	})
	s.Test("UpdateVolume/Invalid", func(f *suite.Fixture) {
		_, err := f.UpdateVolume(f.Ctx, suite.MakeVolume(f), simcloud.VolumeUpdate{Name: suite.Ptr("")})
		f.WantField(err, "name")
	})
	s.Test("ResizeVolume/OK", func(f *suite.Fixture) {
		_, volume := f.Attached()
		r := suite.Must[volumeResult](f)(f.ResizeVolume(f.Ctx, volume.ID, simcloud.VolumeResize{SizeGiB: 11}))
		f.Done(r.Operation, "ResizeVolume", simcloud.KindVolume, volume.ID)
		f.Equal("size of an attached one", f.MustGetVolume(volume.ID).SizeGiB, 11)
	})
	s.Test("ResizeVolume/Invalid", func(f *suite.Fixture) {
		for _, size := range []int{0, 9, 64<<10 + 1} {
			_, err := f.ResizeVolume(f.Ctx, suite.MakeVolume(f), simcloud.VolumeResize{SizeGiB: size})
			f.WantField(err, "sizeGiB")
		}
	})
	s.Test("DeleteVolume/OK", func(f *suite.Fixture) {
		id := suite.MakeVolume(f)
		f.Done(suite.Must[simcloud.Operation](f)(f.DeleteVolume(f.Ctx, id)), "DeleteVolume", simcloud.KindVolume, id)
		_, err := f.GetVolume(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteVolume/InUse", func(f *suite.Fixture) {
		_, volume := f.Attached()
		_, err := f.DeleteVolume(f.Ctx, volume.ID)
		f.Want(err, simcloud.InUse)
		f.WantResource(err, "volume/vol-1")
	})
	s.Test("DeleteZone/VolumesInIt", func(f *suite.Fixture) {
		suite.MakeVolume(f)
		_, err := f.DeleteZone(f.Ctx, "zone-a")
		f.Want(err, simcloud.InUse)
	})
}
