package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

// mutation is an operation on a resource that is there.
type mutation struct {
	name string
	kind simcloud.Kind
	// prepare makes a resource on which call succeeds.
	prepare func(*fixture) simcloud.ID
	call    func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error
}

func anInstance(f *fixture) simcloud.ID { return f.instance("a").ID }

func aFloatingIP(f *fixture) simcloud.ID { return f.floatingIP(simcloud.FloatingIPSpec{}).ID }

func aRouteTable(f *fixture) simcloud.ID { return f.routeTable("t").ID }

func aCluster(f *fixture) simcloud.ID { return f.cluster("c") }

func aLoadBalancer(f *fixture) simcloud.ID {
	return f.loadBalancer(simcloud.LoadBalancerSpec{
		Listeners: []simcloud.ListenerSpec{tcp(80, 30080)}, Targets: []simcloud.TargetSpec{{Instance: anInstance(f)}},
	}).ID
}

// anAddress is one that withAddress gives its instance.
const anAddress = "10.0.0.77"

func withAddress(f *fixture) simcloud.ID {
	id := f.settled(anInstance(f))
	f.add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: anAddress})
	must[instanceResult](f)(f.RebootInstance(f.ctx, id))
	return id
}

// settled waits for the instance, where operations take time.
func (f *fixture) settled(id simcloud.ID) simcloud.ID {
	f.Helper()
	if f.getInstance(id).Operation != "" {
		f.advance(opDuration)
	}
	return id
}

// aVolumeBesideI1 is one that i-1 can have.
func aVolumeBesideI1(f *fixture) simcloud.ID {
	f.in("zone-a")
	return aVolume(f)
}

func anAttachedVolume(f *fixture) simcloud.ID {
	_, volume := f.attached()
	return volume.ID
}

func theZone(name simcloud.ID) func(*fixture) simcloud.ID {
	return func(*fixture) simcloud.ID { return name }
}

// mutations are all of them.
var mutations = []mutation{
	{"UpdateProject", simcloud.KindProject, aProject, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateProject(f.ctx, id, simcloud.ProjectUpdate{Labels: &map[string]string{"a": "b"}}, opts...)
		return err
	}},
	{"DeleteProject", simcloud.KindProject, aProject, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteProject(f.ctx, id, opts...)
		return err
	}},
	{"RotateToken", simcloud.KindToken, aToken, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.RotateToken(f.ctx, id, simcloud.TokenRotation{}, opts...)
		return err
	}},
	{"RevokeToken", simcloud.KindToken, aToken, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.RevokeToken(f.ctx, id, opts...)
		return err
	}},
	{"DeleteToken", simcloud.KindToken, aToken, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteToken(f.ctx, id, opts...)
		return err
	}},
	{"DeleteRegion", simcloud.KindRegion, func(f *fixture) simcloud.ID {
		return must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.ctx, simcloud.RegionSpec{Name: "r"})).Resource.ID
	}, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteRegion(f.ctx, id, opts...)
		return err
	}},
	{"DeleteZone", simcloud.KindZone, theZone("zone-a"), func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteZone(f.ctx, id, opts...)
		return err
	}},
	{"DeleteInstanceType", simcloud.KindInstanceType, theZone("small"), func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteInstanceType(f.ctx, id, opts...)
		return err
	}},
	{"DeleteNetwork", simcloud.KindNetwork, func(f *fixture) simcloud.ID {
		return f.network("10.9.0.0/24").ID
	}, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteNetwork(f.ctx, id, opts...)
		return err
	}},
	{"DeleteSubnet", simcloud.KindSubnet, func(f *fixture) simcloud.ID {
		return f.subnet("", "10.0.1.0/24").ID
	}, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteSubnet(f.ctx, id, opts...)
		return err
	}},
	{"DeleteFloatingIPPool", simcloud.KindFloatingIPPool, theZone("public"), func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteFloatingIPPool(f.ctx, id, opts...)
		return err
	}},
	{"UpdateCluster", simcloud.KindCluster, aCluster, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateCluster(f.ctx, id, simcloud.ClusterUpdate{Endpoint: ptr("https://b")}, opts...)
		return err
	}},
	{"DeleteCluster", simcloud.KindCluster, aCluster, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteCluster(f.ctx, id, opts...)
		return err
	}},
	{"SetQuota", simcloud.KindQuota, func(f *fixture) simcloud.ID {
		return f.limit(simcloud.QuotaInstances, 7).ID
	}, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.SetQuota(f.ctx, id, simcloud.QuotaSpec{Limit: 8}, opts...)
		return err
	}},
	{"UpdateInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateInstance(f.ctx, id, simcloud.InstanceUpdate{Name: ptr("b")}, opts...)
		return err
	}},
	{"DeleteInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteInstance(f.ctx, id, opts...)
		return err
	}},
	{"StartInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.StartInstance(f.ctx, id, opts...)
		return err
	}},
	{"StopInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.StopInstance(f.ctx, id, opts...)
		return err
	}},
	{"RebootInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.RebootInstance(f.ctx, id, opts...)
		return err
	}},
	{"RecreateInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.RecreateInstance(f.ctx, id, opts...)
		return err
	}},
	{"UpdateZone", simcloud.KindZone, theZone("zone-a"), func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateZone(f.ctx, id, simcloud.ZoneUpdate{Labels: &map[string]string{"k": "v"}}, opts...)
		return err
	}},
	{"SetZoneState", simcloud.KindZone, theZone("zone-a"), func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.SetZoneState(f.ctx, id, simcloud.ZoneStateSpec{State: simcloud.ZoneDown}, opts...)
		return err
	}},
	{"RebuildInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.RebuildInstance(f.ctx, id, simcloud.InstanceRebuild{}, opts...)
		return err
	}},
	{"ResizeInstance", simcloud.KindInstance, stopped, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "large"}, opts...)
		return err
	}},
	{"MigrateInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.MigrateInstance(f.ctx, id, simcloud.InstanceMigration{Zone: "zone-b"}, opts...)
		return err
	}},
	{"SuspendInstance", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.SuspendInstance(f.ctx, id, opts...)
		return err
	}},
	{"AddInstanceAddress", simcloud.KindInstance, anInstance, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.AddInstanceAddress(f.ctx, id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate}, opts...)
		return err
	}},
	{"RemoveInstanceAddress", simcloud.KindInstance, withAddress, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.RemoveInstanceAddress(f.ctx, id, anAddress, opts...)
		return err
	}},
	{"UpdateVolume", simcloud.KindVolume, aVolume, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateVolume(f.ctx, id, simcloud.VolumeUpdate{Name: ptr("b")}, opts...)
		return err
	}},
	{"DeleteVolume", simcloud.KindVolume, aVolume, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteVolume(f.ctx, id, opts...)
		return err
	}},
	{"AttachVolume", simcloud.KindVolume, aVolumeBesideI1, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.AttachVolume(f.ctx, id, simcloud.VolumeAttachment{Instance: "i-1"}, opts...)
		return err
	}},
	{"DetachVolume", simcloud.KindVolume, anAttachedVolume, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DetachVolume(f.ctx, id, opts...)
		return err
	}},
	{"ResizeVolume", simcloud.KindVolume, aVolume, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.ResizeVolume(f.ctx, id, simcloud.VolumeResize{SizeGiB: 11}, opts...)
		return err
	}},
	{"UpdateSSHKey", simcloud.KindSSHKey, anSSHKey, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateSSHKey(f.ctx, id, simcloud.SSHKeyUpdate{Name: ptr("b")}, opts...)
		return err
	}},
	{"DeleteSSHKey", simcloud.KindSSHKey, anSSHKey, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteSSHKey(f.ctx, id, opts...)
		return err
	}},
	{"AttachSSHKey", simcloud.KindSSHKey, anSSHKey, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.AttachSSHKey(f.ctx, id, simcloud.SSHKeyTargets{All: true}, opts...)
		return err
	}},
	{"DetachSSHKey", simcloud.KindSSHKey, anSSHKey, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DetachSSHKey(f.ctx, id, simcloud.SSHKeyTargets{All: true}, opts...)
		return err
	}},
	{"UpdateLoadBalancer", simcloud.KindLoadBalancer, aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateLoadBalancer(f.ctx, id, simcloud.LoadBalancerUpdate{Name: ptr("b")}, opts...)
		return err
	}},
	{"DeleteLoadBalancer", simcloud.KindLoadBalancer, aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteLoadBalancer(f.ctx, id, opts...)
		return err
	}},
	{"FailoverLoadBalancer", simcloud.KindLoadBalancer, aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.FailoverLoadBalancer(f.ctx, id, opts...)
		return err
	}},
	{"CreateListener", simcloud.KindLoadBalancer, aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.CreateListener(f.ctx, id, tcp(81, 30081), opts...)
		return err
	}},
	{"UpdateListener", simcloud.KindLoadBalancer, aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateListener(f.ctx, id, "tcp-80", simcloud.ListenerConfig{TargetPort: 1}, opts...)
		return err
	}},
	{"DeleteListener", simcloud.KindLoadBalancer, aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteListener(f.ctx, id, "tcp-80", opts...)
		return err
	}},
	{"CreateTarget", simcloud.KindLoadBalancer, aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.CreateTarget(f.ctx, id, simcloud.TargetSpec{Instance: anInstance(f)}, opts...)
		return err
	}},
	{"DeleteTarget", simcloud.KindLoadBalancer, aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteTarget(f.ctx, id, "i-1", opts...)
		return err
	}},
	{"UpdateFloatingIP", simcloud.KindFloatingIP, aFloatingIP, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateFloatingIP(f.ctx, id, simcloud.FloatingIPUpdate{Name: ptr("b")}, opts...)
		return err
	}},
	{"DeleteFloatingIP", simcloud.KindFloatingIP, aFloatingIP, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteFloatingIP(f.ctx, id, opts...)
		return err
	}},
	{"AttachFloatingIP", simcloud.KindFloatingIP, aFloatingIP, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.AttachFloatingIP(f.ctx, id, toInstance(anInstance(f)), opts...)
		return err
	}},
	{"DetachFloatingIP", simcloud.KindFloatingIP, func(f *fixture) simcloud.ID {
		return f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toInstance(anInstance(f))}).ID
	}, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DetachFloatingIP(f.ctx, id, opts...)
		return err
	}},
	{"UpdateRouteTable", simcloud.KindRouteTable, aRouteTable, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateRouteTable(f.ctx, id, simcloud.RouteTableUpdate{Name: ptr("b")}, opts...)
		return err
	}},
	{"DeleteRouteTable", simcloud.KindRouteTable, aRouteTable, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteRouteTable(f.ctx, id, opts...)
		return err
	}},
	{"CreateRoute", simcloud.KindRouteTable, aRouteTable, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
		_, err := f.CreateRoute(f.ctx, id, spec, opts...)
		return err
	}},
	{"DeleteRoute", simcloud.KindRouteTable, func(f *fixture) simcloud.ID {
		f.route("10.244.0.0/24")
		return "rt-1"
	}, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.DeleteRoute(f.ctx, id, "r-1", opts...)
		return err
	}},
}

// version reads the version of a resource.
func (f *fixture) version(kind simcloud.Kind, id simcloud.ID) uint64 {
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

// testVersions: a mutation of what is not there is NotFound, one with a stale
// version Conflict, and neither changes anything.
func testVersions(s suite) {
	unknown := map[simcloud.Kind]simcloud.ID{
		simcloud.KindProject: "nobody", simcloud.KindToken: "tok-99",
		simcloud.KindRegion: "region-9", simcloud.KindZone: "zone-9", simcloud.KindInstanceType: "huge",
		simcloud.KindNetwork: "net-9", simcloud.KindInstance: "i-99", simcloud.KindLoadBalancer: "lb-9",
		simcloud.KindFloatingIP: "fip-9", simcloud.KindRouteTable: "rt-9", simcloud.KindSubnet: "subnet-9",
		simcloud.KindFloatingIPPool: "private", simcloud.KindCluster: "cluster-9", simcloud.KindQuota: "default.luck",
		simcloud.KindVolume: "vol-9", simcloud.KindSSHKey: "key-9",
	}
	for _, m := range mutations {
		s.run(m.name+"/NotFound", func(f *fixture) {
			err := m.call(f, unknown[m.kind])
			f.want(err, simcloud.NotFound)
			f.wantResource(err, simcloud.Ref(m.kind, unknown[m.kind]))
		})
		s.run(m.name+"/IfVersion", func(f *fixture) {
			id := m.prepare(f)
			version := f.version(m.kind, id)
			for _, wrong := range []uint64{version - 1, version + 1} {
				err := m.call(f, id, simcloud.IfVersion(wrong))
				f.want(err, simcloud.Conflict)
				f.wantResource(err, simcloud.Ref(m.kind, id))
			}
			f.equal("version after the refusals", f.version(m.kind, id), version)
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
