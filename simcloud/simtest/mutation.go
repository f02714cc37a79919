package simtest

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// mutation is an operation on a resource that is there.
type mutation struct {
	name string
	// prepare makes a resource on which call succeeds.
	prepare func(*fixture) simcloud.ID
	call    change
}

// endpoint is that of the operation.
func (m mutation) endpoint() simcloud.Endpoint {
	e, _ := simcloud.EndpointOf(m.name)
	return e
}

// kind is what the mutation changes.
func (m mutation) kind() simcloud.Kind { return m.endpoint().Kind() }

// change changes the resource with the id.
type change func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error

// act is a change without a body.
func act[T any](op func(simcloud.API, context.Context, simcloud.ID, ...simcloud.CallOption) (T, error)) change {
	return func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := op(f.API, f.ctx, id, opts...)
		return err
	}
}

// with is a change that has a body, or that names a part of the resource.
func with[S, T any](op func(simcloud.API, context.Context, simcloud.ID, S, ...simcloud.CallOption) (T, error), body S) change {
	return func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := op(f.API, f.ctx, id, body, opts...)
		return err
	}
}

// anAddress is one that withAddress gives its instance.
const anAddress = "10.0.0.77"

func withAddress(f *fixture) simcloud.ID {
	id := f.settled(anInstance(f))
	f.add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: anAddress})
	must[simcloud.Result[simcloud.Instance]](f)(f.RebootInstance(f.ctx, id))
	return id
}

// aVolumeBesideI1 is one that i-1 can have.
func aVolumeBesideI1(f *fixture) simcloud.ID {
	f.in("zone-a")
	return aVolume(f)
}

// anAttachedVolume makes a volume and an instance that has it.
func anAttachedVolume(f *fixture) simcloud.ID {
	_, volume := f.attached()
	return volume.ID
}

// theZone prepares nothing: it is a zone that each cloud has.
func theZone(name simcloud.ID) func(*fixture) simcloud.ID {
	return func(*fixture) simcloud.ID { return name }
}

// mutations are all of them.
var mutations = []mutation{
	{"UpdateProject", aProject, with(simcloud.API.UpdateProject, simcloud.ProjectUpdate{Labels: &map[string]string{"a": "b"}})},
	{"DeleteProject", aProject, act(simcloud.API.DeleteProject)},
	{"RotateToken", aToken, with(simcloud.API.RotateToken, simcloud.TokenRotation{})},
	{"RevokeToken", aToken, act(simcloud.API.RevokeToken)},
	{"DeleteToken", aToken, act(simcloud.API.DeleteToken)},
	{"DeleteRegion", func(f *fixture) simcloud.ID {
		return must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.ctx, simcloud.RegionSpec{Name: "r"})).Resource.ID
	}, act(simcloud.API.DeleteRegion)},
	{"DeleteZone", theZone("zone-a"), act(simcloud.API.DeleteZone)},
	{"DeleteInstanceType", theZone("small"), act(simcloud.API.DeleteInstanceType)},
	{"DeleteNetwork", func(f *fixture) simcloud.ID {
		return f.network("10.9.0.0/24").ID
	}, act(simcloud.API.DeleteNetwork)},
	{"DeleteSubnet", func(f *fixture) simcloud.ID {
		return f.subnet("", "10.0.1.0/24").ID
	}, act(simcloud.API.DeleteSubnet)},
	{"DeleteFloatingIPPool", theZone("public"), act(simcloud.API.DeleteFloatingIPPool)},
	{"UpdateCluster", aCluster, with(simcloud.API.UpdateCluster, simcloud.ClusterUpdate{Endpoint: ptr("https://b")})},
	{"DeleteCluster", aCluster, act(simcloud.API.DeleteCluster)},
	{"SetQuota", func(f *fixture) simcloud.ID {
		return f.limit(simcloud.QuotaInstances, 7).ID
	}, with(simcloud.API.SetQuota, simcloud.QuotaSpec{Limit: 8})},
	{"UpdateInstance", anInstance, with(simcloud.API.UpdateInstance, simcloud.InstanceUpdate{Name: ptr("b")})},
	{"DeleteInstance", anInstance, act(simcloud.API.DeleteInstance)},
	{"StartInstance", anInstance, act(simcloud.API.StartInstance)},
	{"StopInstance", anInstance, act(simcloud.API.StopInstance)},
	{"RebootInstance", anInstance, act(simcloud.API.RebootInstance)},
	{"RecreateInstance", anInstance, act(simcloud.API.RecreateInstance)},
	{"UpdateZone", theZone("zone-a"), with(simcloud.API.UpdateZone, simcloud.ZoneUpdate{Labels: &map[string]string{"k": "v"}})},
	{"SetZoneState", theZone("zone-a"), with(simcloud.API.SetZoneState, simcloud.ZoneStateSpec{State: simcloud.ZoneDown})},
	{"RebuildInstance", anInstance, with(simcloud.API.RebuildInstance, simcloud.InstanceRebuild{})},
	{"ResizeInstance", stopped, with(simcloud.API.ResizeInstance, simcloud.InstanceResize{Type: "large"})},
	{"MigrateInstance", anInstance, with(simcloud.API.MigrateInstance, simcloud.InstanceMigration{Zone: "zone-b"})},
	{"SuspendInstance", anInstance, act(simcloud.API.SuspendInstance)},
	{"AddInstanceAddress", anInstance, with(simcloud.API.AddInstanceAddress, simcloud.AddressSpec{Scope: simcloud.ScopePrivate})},
	{"RemoveInstanceAddress", withAddress, with(simcloud.API.RemoveInstanceAddress, anAddress)},
	{"UpdateVolume", aVolume, with(simcloud.API.UpdateVolume, simcloud.VolumeUpdate{Name: ptr("b")})},
	{"DeleteVolume", aVolume, act(simcloud.API.DeleteVolume)},
	{"AttachVolume", aVolumeBesideI1, with(simcloud.API.AttachVolume, simcloud.VolumeAttachment{Instance: "i-1"})},
	{"DetachVolume", anAttachedVolume, act(simcloud.API.DetachVolume)},
	{"ResizeVolume", aVolume, with(simcloud.API.ResizeVolume, simcloud.VolumeResize{SizeGiB: 11})},
	{"UpdateSSHKey", anSSHKey, with(simcloud.API.UpdateSSHKey, simcloud.SSHKeyUpdate{Name: ptr("b")})},
	{"DeleteSSHKey", anSSHKey, act(simcloud.API.DeleteSSHKey)},
	{"AttachSSHKey", anSSHKey, with(simcloud.API.AttachSSHKey, simcloud.SSHKeyTargets{All: true})},
	{"DetachSSHKey", anSSHKey, with(simcloud.API.DetachSSHKey, simcloud.SSHKeyTargets{All: true})},
	{"UpdateLoadBalancer", aLoadBalancer, with(simcloud.API.UpdateLoadBalancer, simcloud.LoadBalancerUpdate{Name: ptr("b")})},
	{"DeleteLoadBalancer", aLoadBalancer, act(simcloud.API.DeleteLoadBalancer)},
	{"FailoverLoadBalancer", aLoadBalancer, act(simcloud.API.FailoverLoadBalancer)},
	{"CreateListener", aLoadBalancer, with(simcloud.API.CreateListener, tcp(81, 30081))},
	{"UpdateListener", aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateListener(f.ctx, id, "tcp-80", simcloud.ListenerConfig{TargetPort: 1}, opts...)
		return err
	}},
	{"DeleteListener", aLoadBalancer, with(simcloud.API.DeleteListener, "tcp-80")},
	{"CreateTarget", aLoadBalancer, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.CreateTarget(f.ctx, id, simcloud.TargetSpec{Instance: anInstance(f)}, opts...)
		return err
	}},
	{"DeleteTarget", aLoadBalancer, with(simcloud.API.DeleteTarget, "i-1")},
	{"UpdateFloatingIP", aFloatingIP, with(simcloud.API.UpdateFloatingIP, simcloud.FloatingIPUpdate{Name: ptr("b")})},
	{"DeleteFloatingIP", aFloatingIP, act(simcloud.API.DeleteFloatingIP)},
	{"AttachFloatingIP", aFloatingIP, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.AttachFloatingIP(f.ctx, id, toInstance(anInstance(f)), opts...)
		return err
	}},
	{"DetachFloatingIP", func(f *fixture) simcloud.ID {
		return f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toInstance(anInstance(f))}).ID
	}, act(simcloud.API.DetachFloatingIP)},
	{"UpdateRouteTable", aRouteTable, with(simcloud.API.UpdateRouteTable, simcloud.RouteTableUpdate{Name: ptr("b")})},
	{"DeleteRouteTable", aRouteTable, act(simcloud.API.DeleteRouteTable)},
	{"CreateRoute", aRouteTable, func(f *fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
		_, err := f.CreateRoute(f.ctx, id, spec, opts...)
		return err
	}},
	{"DeleteRoute", func(f *fixture) simcloud.ID {
		f.route("10.244.0.0/24")
		return "rt-1"
	}, with(simcloud.API.DeleteRoute, "r-1")},
}

// mutationNamed returns the mutation of an operation.
func mutationNamed(name string) mutation {
	for _, m := range mutations {
		if m.name == name {
			return m
		}
	}
	panic("no mutation " + name)
}
