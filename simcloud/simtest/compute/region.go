package compute

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testRegions(s suite.Runner) {
	s.Test("GetRegion/Default", func(f *suite.Fixture) {
		region := suite.Must[simcloud.Region](f)(f.GetRegion(f.Ctx, "region-1"))
		f.Equal("state", region.State, simcloud.ZoneAvailable)
		f.Equal("project of what all share", region.Project, simcloud.ID(""))
	})
	s.Test("GetRegion/NotFound", func(f *suite.Fixture) {
		_, err := f.GetRegion(f.Ctx, "region-9")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "region/region-9")
	})
	s.Test("CreateRegion/OK", func(f *suite.Fixture) {
		spec := simcloud.RegionSpec{Name: "region-2", Labels: map[string]string{"a": "b"}}
		r := suite.Must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.Ctx, spec))
		f.Equal("id is the name", r.Resource.ID, simcloud.ID("region-2"))
		f.Equal("labels", r.Resource.Labels, spec.Labels)
		f.Equal("as read", suite.Must[simcloud.Region](f)(f.GetRegion(f.Ctx, "region-2")), r.Resource)
		f.Done(r.Operation, "CreateRegion", simcloud.KindRegion, "region-2")
	})
	s.Test("CreateRegion/NameInvalid", func(f *suite.Fixture) {
		_, err := f.CreateRegion(f.Ctx, simcloud.RegionSpec{Name: "no name"})
		f.WantField(err, "name")
	})
	s.Test("CreateRegion/NameTaken", func(f *suite.Fixture) {
		_, err := f.CreateRegion(f.Ctx, simcloud.RegionSpec{Name: "region-1"})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("DeleteRegion/OK", func(f *suite.Fixture) {
		suite.Must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.Ctx, simcloud.RegionSpec{Name: "region-2"}))
		op := suite.Must[simcloud.Operation](f)(f.DeleteRegion(f.Ctx, "region-2"))
		f.Done(op, "DeleteRegion", simcloud.KindRegion, "region-2")
		_, err := f.GetRegion(f.Ctx, "region-2")
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteRegion/InUse", func(f *suite.Fixture) {
		_, err := f.DeleteRegion(f.Ctx, "region-1")
		f.Want(err, simcloud.InUse)
		f.WantResource(err, "region/region-1")
	})
}

func testZones(s suite.Runner) {
	s.Test("GetZone/Default", func(f *suite.Fixture) {
		zone := suite.Must[simcloud.Zone](f)(f.GetZone(f.Ctx, "zone-b"))
		f.Equal("region", zone.Region, simcloud.ID("region-1"))
	})
	s.Test("GetZone/NotFound", func(f *suite.Fixture) {
		_, err := f.GetZone(f.Ctx, "zone-z")
		f.Want(err, simcloud.NotFound)
	})
	s.Test("CreateZone/OK", func(f *suite.Fixture) {
		r := suite.Must[simcloud.Result[simcloud.Zone]](f)(f.CreateZone(f.Ctx, simcloud.ZoneSpec{Name: "zone-d", Region: "region-1"}))
		f.Equal("as read", suite.Must[simcloud.Zone](f)(f.GetZone(f.Ctx, "zone-d")), r.Resource)
		f.Done(r.Operation, "CreateZone", simcloud.KindZone, "zone-d")
	})
	s.Test("CreateZone/NameInvalid", func(f *suite.Fixture) {
		_, err := f.CreateZone(f.Ctx, simcloud.ZoneSpec{Region: "region-1"})
		f.WantField(err, "name")
	})
	s.Test("CreateZone/RegionUnknown", func(f *suite.Fixture) {
		_, err := f.CreateZone(f.Ctx, simcloud.ZoneSpec{Name: "zone-d", Region: "region-9"})
		f.WantField(err, "region")
	})
	s.Test("CreateZone/NameTaken", func(f *suite.Fixture) {
		_, err := f.CreateZone(f.Ctx, simcloud.ZoneSpec{Name: "zone-a", Region: "region-1"})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("DeleteZone/OK", func(f *suite.Fixture) {
		op := suite.Must[simcloud.Operation](f)(f.DeleteZone(f.Ctx, "zone-c"))
		f.Done(op, "DeleteZone", simcloud.KindZone, "zone-c")
		_, err := f.GetZone(f.Ctx, "zone-c")
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteZone/InUse", func(f *suite.Fixture) {
		f.InstanceOf(simcloud.InstanceSpec{Name: "a", Zone: "zone-b"})
		_, err := f.DeleteZone(f.Ctx, "zone-b")
		f.Want(err, simcloud.InUse)
	})
}

func testInstanceTypes(s suite.Runner) {
	s.Test("GetInstanceType/Default", func(f *suite.Fixture) {
		medium := suite.Must[simcloud.InstanceType](f)(f.GetInstanceType(f.Ctx, "medium"))
		f.Equal("size", [2]int{medium.VCPUs, medium.MemoryMiB}, [2]int{4, 8192})
	})
	s.Test("GetInstanceType/NotFound", func(f *suite.Fixture) {
		_, err := f.GetInstanceType(f.Ctx, "huge")
		f.Want(err, simcloud.NotFound)
	})
	s.Test("CreateInstanceType/OK", func(f *suite.Fixture) {
		spec := simcloud.InstanceTypeSpec{Name: "huge", VCPUs: 64, MemoryMiB: 1 << 18}
		r := suite.Must[simcloud.Result[simcloud.InstanceType]](f)(f.CreateInstanceType(f.Ctx, spec))
		f.Equal("as read", suite.Must[simcloud.InstanceType](f)(f.GetInstanceType(f.Ctx, "huge")), r.Resource)
		f.Done(r.Operation, "CreateInstanceType", simcloud.KindInstanceType, "huge")
	})
	s.Test("CreateInstanceType/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateInstanceType(f.Ctx, simcloud.InstanceTypeSpec{Name: "nothing"})
		f.WantField(err, "vcpus")
		f.WantField(err, "memoryMiB")
	})
	s.Test("CreateInstanceType/NameTaken", func(f *suite.Fixture) {
		_, err := f.CreateInstanceType(f.Ctx, simcloud.InstanceTypeSpec{Name: "small", VCPUs: 1, MemoryMiB: 1})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("DeleteInstanceType/OK", func(f *suite.Fixture) {
		op := suite.Must[simcloud.Operation](f)(f.DeleteInstanceType(f.Ctx, "large"))
		f.Done(op, "DeleteInstanceType", simcloud.KindInstanceType, "large")
	})
	s.Test("DeleteInstanceType/InUse", func(f *suite.Fixture) {
		f.Instance("a")
		_, err := f.DeleteInstanceType(f.Ctx, "small")
		f.Want(err, simcloud.InUse)
	})
}
