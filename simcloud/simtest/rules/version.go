package rules

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// testVersions: a mutation of what is not there is NotFound, one with a stale
// version Conflict, and neither changes anything.
func testVersions(s suite.Runner) {
	unknown := map[simcloud.Kind]simcloud.ID{
		simcloud.KindProject: "unknown", simcloud.KindToken: "tok-99",
		simcloud.KindRegion: "region-9", simcloud.KindZone: "zone-9", simcloud.KindInstanceType: "huge",
		simcloud.KindNetwork: "net-9", simcloud.KindInstance: "i-99", simcloud.KindLoadBalancer: "lb-9",
		simcloud.KindFloatingIP: "fip-9", simcloud.KindRouteTable: "rt-9", simcloud.KindSubnet: "subnet-9",
		simcloud.KindFloatingIPPool: "private", simcloud.KindCluster: "cluster-9", simcloud.KindQuota: "default.luck",
		simcloud.KindDocument: "doc-9", simcloud.KindSecurityGroup: "sg-9", simcloud.KindTargetGroup: "tg-9",
		simcloud.KindVolume: "vol-9", simcloud.KindSSHKey: "key-9",
	}
	for _, m := range suite.Mutations {
		s.Test(m.Name+"/NotFound", func(f *suite.Fixture) {
			err := m.Call(f, unknown[m.Kind()])
			f.Want(err, simcloud.NotFound)
			f.WantResource(err, simcloud.Ref(m.Kind(), unknown[m.Kind()]))
		})
		s.Test(m.Name+"/IfVersion", func(f *suite.Fixture) {
			id := m.Prepare(f)
			version := versionOf(f, m.Kind(), id)
			for _, wrong := range []uint64{version - 1, version + 1} {
				err := m.Call(f, id, simcloud.IfVersion(wrong))
				f.Want(err, simcloud.Conflict)
				f.WantResource(err, simcloud.Ref(m.Kind(), id))
			}
			f.Equal("version after the refusals", versionOf(f, m.Kind(), id), version)
			if err := m.Call(f, id, simcloud.IfVersion(version)); err != nil {
				f.Errorf("with the right version: %v", err)
			}
		})
	}
	s.Test("CreateInstance/IfVersion", func(f *suite.Fixture) {
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}, simcloud.IfVersion(1))
		f.Want(err, simcloud.Conflict)
	})
	s.Test("UpdateInstance/VersionIsRevision", func(f *suite.Fixture) {
		before := f.Instance("a")
		after := suite.Must[simcloud.Result[simcloud.Instance]](f)(
			f.UpdateInstance(f.Ctx, before.ID, simcloud.InstanceUpdate{Name: suite.Ptr("b")})).Resource
		if before.Version >= after.Version || after.Version > f.Revision() {
			f.Errorf("version %d, then %d, at revision %d", before.Version, after.Version, f.Revision())
		}
	})
}

// versionOf reads the version of a resource.
func versionOf(f *suite.Fixture, kind simcloud.Kind, id simcloud.ID) uint64 {
	f.Helper()
	switch kind {
	case simcloud.KindProject:
		return suite.Must[simcloud.Project](f)(f.GetProject(f.Ctx, id)).Version
	case simcloud.KindToken:
		return f.MustGetToken(id).Version
	case simcloud.KindRegion:
		return suite.Must[simcloud.Region](f)(f.GetRegion(f.Ctx, id)).Version
	case simcloud.KindZone:
		return suite.Must[simcloud.Zone](f)(f.GetZone(f.Ctx, id)).Version
	case simcloud.KindInstanceType:
		return suite.Must[simcloud.InstanceType](f)(f.GetInstanceType(f.Ctx, id)).Version
	case simcloud.KindNetwork:
		return suite.Must[simcloud.Network](f)(f.GetNetwork(f.Ctx, id)).Version
	case simcloud.KindSubnet:
		return suite.Must[simcloud.Subnet](f)(f.GetSubnet(f.Ctx, id)).Version
	case simcloud.KindFloatingIPPool:
		return suite.Must[simcloud.FloatingIPPool](f)(f.GetFloatingIPPool(f.Ctx, id)).Version
	case simcloud.KindCluster:
		return suite.Must[simcloud.Cluster](f)(f.GetCluster(f.Ctx, id)).Version
	case simcloud.KindDocument:
		return suite.Must[simcloud.Document](f)(f.GetDocument(f.Ctx, id)).Version
	case simcloud.KindQuota:
		return suite.Must[simcloud.Quota](f)(f.GetQuota(f.Ctx, id)).Version
	case simcloud.KindInstance:
		return f.MustGetInstance(id).Version
	case simcloud.KindVolume:
		return f.MustGetVolume(id).Version
	case simcloud.KindSSHKey:
		return suite.Must[simcloud.SSHKey](f)(f.GetSSHKey(f.Ctx, id)).Version
	case simcloud.KindLoadBalancer:
		return f.MustGetLoadBalancer(id).Version
	case simcloud.KindFloatingIP:
		return f.MustGetFloatingIP(id).Version
	default:
		return versionOfRules(f, kind, id)
	}
}

// versionOfRules is versionOf for what tells packets where they may go.
func versionOfRules(f *suite.Fixture, kind simcloud.Kind, id simcloud.ID) uint64 {
	f.Helper()
	switch kind {
	case simcloud.KindRouteTable:
		return f.MustGetRouteTable(id).Version
	case simcloud.KindSecurityGroup:
		return suite.Must[simcloud.SecurityGroup](f)(f.GetSecurityGroup(f.Ctx, id)).Version
	case simcloud.KindTargetGroup:
		return suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id)).Version
	default:
		f.Fatalf("no version of a %s", kind)
		return 0
	}
}
