package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

func testRegions(s suite) {
	s.run("GetRegion/Default", func(f *fixture) {
		region := must[simcloud.Region](f)(f.GetRegion(f.ctx, "region-1"))
		f.equal("state", region.State, simcloud.ZoneAvailable)
		f.equal("project of what all share", region.Project, simcloud.ID(""))
	})
	s.run("GetRegion/NotFound", func(f *fixture) {
		_, err := f.GetRegion(f.ctx, "region-9")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "region/region-9")
	})
	s.run("CreateRegion/OK", func(f *fixture) {
		spec := simcloud.RegionSpec{Name: "region-2", Labels: map[string]string{"a": "b"}}
		r := must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.ctx, spec))
		f.equal("id is the name", r.Resource.ID, simcloud.ID("region-2"))
		f.equal("labels", r.Resource.Labels, spec.Labels)
		f.equal("as read", must[simcloud.Region](f)(f.GetRegion(f.ctx, "region-2")), r.Resource)
		f.done(r.Operation, "CreateRegion", simcloud.KindRegion, "region-2")
	})
	s.run("CreateRegion/NameInvalid", func(f *fixture) {
		_, err := f.CreateRegion(f.ctx, simcloud.RegionSpec{Name: "no name"})
		f.wantField(err, "name")
	})
	s.run("CreateRegion/NameTaken", func(f *fixture) {
		_, err := f.CreateRegion(f.ctx, simcloud.RegionSpec{Name: "region-1"})
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("DeleteRegion/OK", func(f *fixture) {
		must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.ctx, simcloud.RegionSpec{Name: "region-2"}))
		op := must[simcloud.Operation](f)(f.DeleteRegion(f.ctx, "region-2"))
		f.done(op, "DeleteRegion", simcloud.KindRegion, "region-2")
		_, err := f.GetRegion(f.ctx, "region-2")
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteRegion/InUse", func(f *fixture) {
		_, err := f.DeleteRegion(f.ctx, "region-1")
		f.want(err, simcloud.InUse)
		f.wantResource(err, "region/region-1")
	})
}

func testZones(s suite) {
	s.run("GetZone/Default", func(f *fixture) {
		zone := must[simcloud.Zone](f)(f.GetZone(f.ctx, "zone-b"))
		f.equal("region", zone.Region, simcloud.ID("region-1"))
	})
	s.run("GetZone/NotFound", func(f *fixture) {
		_, err := f.GetZone(f.ctx, "zone-z")
		f.want(err, simcloud.NotFound)
	})
	s.run("CreateZone/OK", func(f *fixture) {
		r := must[simcloud.Result[simcloud.Zone]](f)(f.CreateZone(f.ctx, simcloud.ZoneSpec{Name: "zone-d", Region: "region-1"}))
		f.equal("as read", must[simcloud.Zone](f)(f.GetZone(f.ctx, "zone-d")), r.Resource)
		f.done(r.Operation, "CreateZone", simcloud.KindZone, "zone-d")
	})
	s.run("CreateZone/NameInvalid", func(f *fixture) {
		_, err := f.CreateZone(f.ctx, simcloud.ZoneSpec{Region: "region-1"})
		f.wantField(err, "name")
	})
	s.run("CreateZone/RegionUnknown", func(f *fixture) {
		_, err := f.CreateZone(f.ctx, simcloud.ZoneSpec{Name: "zone-d", Region: "region-9"})
		f.wantField(err, "region")
	})
	s.run("CreateZone/NameTaken", func(f *fixture) {
		_, err := f.CreateZone(f.ctx, simcloud.ZoneSpec{Name: "zone-a", Region: "region-1"})
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("DeleteZone/OK", func(f *fixture) {
		op := must[simcloud.Operation](f)(f.DeleteZone(f.ctx, "zone-c"))
		f.done(op, "DeleteZone", simcloud.KindZone, "zone-c")
		_, err := f.GetZone(f.ctx, "zone-c")
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteZone/InUse", func(f *fixture) {
		f.instanceOf(simcloud.InstanceSpec{Name: "a", Zone: "zone-b"})
		_, err := f.DeleteZone(f.ctx, "zone-b")
		f.want(err, simcloud.InUse)
	})
}

func testInstanceTypes(s suite) {
	s.run("GetInstanceType/Default", func(f *fixture) {
		medium := must[simcloud.InstanceType](f)(f.GetInstanceType(f.ctx, "medium"))
		f.equal("size", [2]int{medium.VCPUs, medium.MemoryMiB}, [2]int{4, 8192})
	})
	s.run("GetInstanceType/NotFound", func(f *fixture) {
		_, err := f.GetInstanceType(f.ctx, "huge")
		f.want(err, simcloud.NotFound)
	})
	s.run("CreateInstanceType/OK", func(f *fixture) {
		spec := simcloud.InstanceTypeSpec{Name: "huge", VCPUs: 64, MemoryMiB: 1 << 18}
		r := must[simcloud.Result[simcloud.InstanceType]](f)(f.CreateInstanceType(f.ctx, spec))
		f.equal("as read", must[simcloud.InstanceType](f)(f.GetInstanceType(f.ctx, "huge")), r.Resource)
		f.done(r.Operation, "CreateInstanceType", simcloud.KindInstanceType, "huge")
	})
	s.run("CreateInstanceType/Invalid", func(f *fixture) {
		_, err := f.CreateInstanceType(f.ctx, simcloud.InstanceTypeSpec{Name: "nothing"})
		f.wantField(err, "vcpus")
		f.wantField(err, "memoryMiB")
	})
	s.run("CreateInstanceType/NameTaken", func(f *fixture) {
		_, err := f.CreateInstanceType(f.ctx, simcloud.InstanceTypeSpec{Name: "small", VCPUs: 1, MemoryMiB: 1})
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("DeleteInstanceType/OK", func(f *fixture) {
		op := must[simcloud.Operation](f)(f.DeleteInstanceType(f.ctx, "large"))
		f.done(op, "DeleteInstanceType", simcloud.KindInstanceType, "large")
	})
	s.run("DeleteInstanceType/InUse", func(f *fixture) {
		f.instance("a")
		_, err := f.DeleteInstanceType(f.ctx, "small")
		f.want(err, simcloud.InUse)
	})
}
