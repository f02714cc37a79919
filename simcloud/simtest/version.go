package simtest

import (
	"github.com/simcloud-dev/simcloud/simcloud"
)

// testVersions: a mutation of what is not there is NotFound, one with a stale
// version Conflict, and neither changes anything.
func testVersions(s suite) {
	unknown := map[simcloud.Kind]simcloud.ID{
		simcloud.KindProject: "unknown", simcloud.KindToken: "tok-99",
		simcloud.KindRegion: "region-9", simcloud.KindZone: "zone-9", simcloud.KindInstanceType: "huge",
		simcloud.KindNetwork: "net-9", simcloud.KindInstance: "i-99", simcloud.KindLoadBalancer: "lb-9",
		simcloud.KindFloatingIP: "fip-9", simcloud.KindRouteTable: "rt-9", simcloud.KindSubnet: "subnet-9",
		simcloud.KindFloatingIPPool: "private", simcloud.KindCluster: "cluster-9", simcloud.KindQuota: "default.luck",
		simcloud.KindVolume: "vol-9", simcloud.KindSSHKey: "key-9",
	}
	for _, m := range mutations {
		s.run(m.name+"/NotFound", func(f *fixture) {
			err := m.call(f, unknown[m.kind()])
			f.want(err, simcloud.NotFound)
			f.wantResource(err, simcloud.Ref(m.kind(), unknown[m.kind()]))
		})
		s.run(m.name+"/IfVersion", func(f *fixture) {
			id := m.prepare(f)
			version := versionOf(f, m.kind(), id)
			for _, wrong := range []uint64{version - 1, version + 1} {
				err := m.call(f, id, simcloud.IfVersion(wrong))
				f.want(err, simcloud.Conflict)
				f.wantResource(err, simcloud.Ref(m.kind(), id))
			}
			f.equal("version after the refusals", versionOf(f, m.kind(), id), version)
			if err := m.call(f, id, simcloud.IfVersion(version)); err != nil {
				f.Errorf("with the right version: %v", err)
			}
		})
	}
	s.run("CreateInstance/IfVersion", func(f *fixture) {
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}, simcloud.IfVersion(1))
		f.want(err, simcloud.Conflict)
	})
	s.run("UpdateInstance/VersionIsRevision", func(f *fixture) {
		before := f.instance("a")
		after := must[simcloud.Result[simcloud.Instance]](f)(
			f.UpdateInstance(f.ctx, before.ID, simcloud.InstanceUpdate{Name: ptr("b")})).Resource
		if before.Version >= after.Version || after.Version > f.revision() {
			f.Errorf("version %d, then %d, at revision %d", before.Version, after.Version, f.revision())
		}
	})
}

// versionOf reads the version of a resource.
func versionOf(f *fixture, kind simcloud.Kind, id simcloud.ID) uint64 {
	f.Helper()
	switch kind {
	case simcloud.KindProject:
		return must[simcloud.Project](f)(f.GetProject(f.ctx, id)).Version
	case simcloud.KindToken:
		return f.getToken(id).Version
	case simcloud.KindRegion:
		return must[simcloud.Region](f)(f.GetRegion(f.ctx, id)).Version
	case simcloud.KindZone:
		return must[simcloud.Zone](f)(f.GetZone(f.ctx, id)).Version
	case simcloud.KindInstanceType:
		return must[simcloud.InstanceType](f)(f.GetInstanceType(f.ctx, id)).Version
	case simcloud.KindNetwork:
		return must[simcloud.Network](f)(f.GetNetwork(f.ctx, id)).Version
	case simcloud.KindSubnet:
		return must[simcloud.Subnet](f)(f.GetSubnet(f.ctx, id)).Version
	case simcloud.KindFloatingIPPool:
		return must[simcloud.FloatingIPPool](f)(f.GetFloatingIPPool(f.ctx, id)).Version
	case simcloud.KindCluster:
		return must[simcloud.Cluster](f)(f.GetCluster(f.ctx, id)).Version
	case simcloud.KindQuota:
		return must[simcloud.Quota](f)(f.GetQuota(f.ctx, id)).Version
	case simcloud.KindInstance:
		return f.getInstance(id).Version
	case simcloud.KindVolume:
		return f.getVolume(id).Version
	case simcloud.KindSSHKey:
		return must[simcloud.SSHKey](f)(f.GetSSHKey(f.ctx, id)).Version
	case simcloud.KindLoadBalancer:
		return f.getLoadBalancer(id).Version
	case simcloud.KindFloatingIP:
		return f.getFloatingIP(id).Version
	case simcloud.KindRouteTable:
		return f.getRouteTable(id).Version
	default:
		f.Fatalf("no version of a %s", kind)
		return 0
	}
}
