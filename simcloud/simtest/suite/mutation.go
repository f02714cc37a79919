package suite

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Mutation is an operation on a resource that is there.
type Mutation struct {
	Name string
	// Prepare makes a resource on which Call succeeds.
	Prepare func(*Fixture) simcloud.ID
	Call    Change
}

// Endpoint is that of the operation.
func (m Mutation) Endpoint() simcloud.Endpoint {
	e, _ := simcloud.EndpointOf(m.Name)
	return e
}

// Kind is what the mutation changes.
func (m Mutation) Kind() simcloud.Kind { return m.Endpoint().Kind() }

// Change changes the resource with the id.
type Change func(f *Fixture, id simcloud.ID, opts ...simcloud.CallOption) error

// Act is a change without a body.
func Act[T any](op func(simcloud.API, context.Context, simcloud.ID, ...simcloud.CallOption) (T, error)) Change {
	return func(f *Fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := op(f.API, f.Ctx, id, opts...)
		return err
	}
}

// With is a change that has a body, or that names a part of the resource.
func With[S, T any](op func(simcloud.API, context.Context, simcloud.ID, S, ...simcloud.CallOption) (T, error), body S) Change {
	return func(f *Fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := op(f.API, f.Ctx, id, body, opts...)
		return err
	}
}

// anAddress is one that withAddress gives its instance.
const anAddress = "10.0.0.77"

func withAddress(f *Fixture) simcloud.ID {
	id := f.settled(MakeInstance(f))
	f.Add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: anAddress})
	Must[simcloud.Result[simcloud.Instance]](f)(f.RebootInstance(f.Ctx, id))
	return id
}

// makeVolumeBesideI1 is one that i-1 can have.
func makeVolumeBesideI1(f *Fixture) simcloud.ID {
	f.In("zone-a")
	return MakeVolume(f)
}

// MakeAttachedVolume makes a volume and an instance that has it.
func MakeAttachedVolume(f *Fixture) simcloud.ID {
	_, volume := f.Attached()
	return volume.ID
}

// Zone prepares nothing: it is a zone that each cloud has.
func Zone(name simcloud.ID) func(*Fixture) simcloud.ID {
	return func(*Fixture) simcloud.ID { return name }
}

// Mutations are all of them.
var Mutations = []Mutation{
	{"UpdateProject", makeProject, With(simcloud.API.UpdateProject, simcloud.ProjectUpdate{Labels: &map[string]string{"a": "b"}})},
	{"DeleteProject", makeProject, Act(simcloud.API.DeleteProject)},
	{"RotateToken", MakeToken, With(simcloud.API.RotateToken, simcloud.TokenRotation{})},
	{"RevokeToken", MakeToken, Act(simcloud.API.RevokeToken)},
	{"DeleteToken", MakeToken, Act(simcloud.API.DeleteToken)},
	{"DeleteRegion", func(f *Fixture) simcloud.ID {
		return Must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.Ctx, simcloud.RegionSpec{Name: "r"})).Resource.ID
	}, Act(simcloud.API.DeleteRegion)},
	{"DeleteZone", Zone("zone-a"), Act(simcloud.API.DeleteZone)},
	{"DeleteInstanceType", Zone("small"), Act(simcloud.API.DeleteInstanceType)},
	{"UpdateNetwork", func(f *Fixture) simcloud.ID {
		return f.Network("10.9.0.0/24").ID
	}, With(simcloud.API.UpdateNetwork, simcloud.NetworkUpdate{Name: Ptr("b")})},
	{"DeleteNetwork", func(f *Fixture) simcloud.ID {
		return f.Network("10.9.0.0/24").ID
	}, Act(simcloud.API.DeleteNetwork)},
	{"UpdateSubnet", func(f *Fixture) simcloud.ID {
		return f.Subnet("", "10.0.1.0/24").ID
	}, With(simcloud.API.UpdateSubnet, simcloud.SubnetUpdate{Name: Ptr("b")})},
	{"DeleteSubnet", func(f *Fixture) simcloud.ID {
		return f.Subnet("", "10.0.1.0/24").ID
	}, Act(simcloud.API.DeleteSubnet)},
	{"DeleteFloatingIPPool", Zone("public"), Act(simcloud.API.DeleteFloatingIPPool)},
	{"UpdateCluster", MakeCluster, With(simcloud.API.UpdateCluster, simcloud.ClusterUpdate{Endpoint: Ptr("https://b")})},
	{"DeleteCluster", MakeCluster, Act(simcloud.API.DeleteCluster)},
	{"UpdateDocument", MakeDocument, With(simcloud.API.UpdateDocument, simcloud.DocumentUpdate{Name: Ptr("e")})},
	{"DeleteDocument", MakeDocument, Act(simcloud.API.DeleteDocument)},
	{"UpdateSecurityGroup", MakeSecurityGroup, With(simcloud.API.UpdateSecurityGroup, simcloud.SecurityGroupUpdate{Name: Ptr("h")})},
	{"DeleteSecurityGroup", MakeSecurityGroup, Act(simcloud.API.DeleteSecurityGroup)},
	{"AddSecurityGroupRules", MakeSecurityGroup, With(simcloud.API.AddSecurityGroupRules,
		simcloud.SecurityGroupRules{Rules: []simcloud.SecurityGroupRuleSpec{AnyTCP(81)}})},
	{"RemoveSecurityGroupRules", MakeSecurityGroup, With(simcloud.API.RemoveSecurityGroupRules,
		simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{"sgr-1"}})},
	{"UpdateTargetGroup", MakeTargetGroup, With(simcloud.API.UpdateTargetGroup, simcloud.TargetGroupUpdate{Name: Ptr("h")})},
	{"DeleteTargetGroup", MakeTargetGroup, Act(simcloud.API.DeleteTargetGroup)},
	{"AddGroupTargets", MakeTargetGroup, With(simcloud.API.AddGroupTargets,
		simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{GroupTargetSpec("i-1", 81)}})},
	{"RemoveGroupTargets", MakeTargetGroup, With(simcloud.API.RemoveGroupTargets,
		simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{GroupTargetSpec("i-1", 80)}})},
	{"SetQuota", func(f *Fixture) simcloud.ID {
		return f.Limit(simcloud.QuotaInstances, 7).ID
	}, With(simcloud.API.SetQuota, simcloud.QuotaSpec{Limit: 8})},
	{"UpdateInstance", MakeInstance, With(simcloud.API.UpdateInstance, simcloud.InstanceUpdate{Name: Ptr("b")})},
	{"DeleteInstance", MakeInstance, Act(simcloud.API.DeleteInstance)},
	{"StartInstance", MakeInstance, Act(simcloud.API.StartInstance)},
	{"StopInstance", MakeInstance, Act(simcloud.API.StopInstance)},
	{"RebootInstance", MakeInstance, Act(simcloud.API.RebootInstance)},
	{"RecreateInstance", MakeInstance, Act(simcloud.API.RecreateInstance)},
	{"UpdateZone", Zone("zone-a"), With(simcloud.API.UpdateZone, simcloud.ZoneUpdate{Labels: &map[string]string{"k": "v"}})},
	{"SetZoneState", Zone("zone-a"), With(simcloud.API.SetZoneState, simcloud.ZoneStateSpec{State: simcloud.ZoneDown})},
	{"RebuildInstance", MakeInstance, With(simcloud.API.RebuildInstance, simcloud.InstanceRebuild{})},
	{"ResizeInstance", MakeStopped, With(simcloud.API.ResizeInstance, simcloud.InstanceResize{Type: "large"})},
	{"MigrateInstance", MakeInstance, With(simcloud.API.MigrateInstance, simcloud.InstanceMigration{Zone: "zone-b"})},
	{"SuspendInstance", MakeInstance, Act(simcloud.API.SuspendInstance)},
	{"AddInstanceAddress", MakeInstance, With(simcloud.API.AddInstanceAddress, simcloud.AddressSpec{Scope: simcloud.ScopePrivate})},
	{"RemoveInstanceAddress", withAddress, With(simcloud.API.RemoveInstanceAddress, anAddress)},
	{"AttachInstanceNetwork", func(f *Fixture) simcloud.ID {
		f.Network("10.7.0.0/16") // net-2
		return MakeInstance(f)
	}, With(simcloud.API.AttachInstanceNetwork, simcloud.NetworkAttachment{Network: "net-2"})},
	{"DetachInstanceNetwork", func(f *Fixture) simcloud.ID {
		return f.InstanceOf(simcloud.InstanceSpec{Name: "a", Networks: []simcloud.NetworkAttachment{{Network: f.Network("10.7.0.0/16").ID}}}).ID
	}, With(simcloud.API.DetachInstanceNetwork, "net-2")},
	{"UpdateVolume", MakeVolume, With(simcloud.API.UpdateVolume, simcloud.VolumeUpdate{Name: Ptr("b")})},
	{"DeleteVolume", MakeVolume, Act(simcloud.API.DeleteVolume)},
	{"AttachVolume", makeVolumeBesideI1, With(simcloud.API.AttachVolume, simcloud.VolumeAttachment{Instance: "i-1"})},
	{"DetachVolume", MakeAttachedVolume, Act(simcloud.API.DetachVolume)},
	{"ResizeVolume", MakeVolume, With(simcloud.API.ResizeVolume, simcloud.VolumeResize{SizeGiB: 11})},
	{"UpdateSSHKey", MakeSSHKey, With(simcloud.API.UpdateSSHKey, simcloud.SSHKeyUpdate{Name: Ptr("b")})},
	{"DeleteSSHKey", MakeSSHKey, Act(simcloud.API.DeleteSSHKey)},
	{"AttachSSHKey", MakeSSHKey, With(simcloud.API.AttachSSHKey, simcloud.SSHKeyTargets{All: true})},
	{"DetachSSHKey", MakeSSHKey, With(simcloud.API.DetachSSHKey, simcloud.SSHKeyTargets{All: true})},
	{"UpdateLoadBalancer", MakeLoadBalancer, With(simcloud.API.UpdateLoadBalancer, simcloud.LoadBalancerUpdate{Name: Ptr("b")})},
	{"DeleteLoadBalancer", MakeLoadBalancer, Act(simcloud.API.DeleteLoadBalancer)},
	{"FailoverLoadBalancer", MakeLoadBalancer, Act(simcloud.API.FailoverLoadBalancer)},
	{"AttachLoadBalancerNetwork", MakeLoadBalancer, With(simcloud.API.AttachLoadBalancerNetwork, simcloud.NetworkAttachment{Network: "net-1"})},
	{"DetachLoadBalancerNetwork", func(f *Fixture) simcloud.ID {
		return f.LoadBalancer(simcloud.LoadBalancerSpec{Networks: []simcloud.NetworkAttachment{{Network: "net-1"}}}).ID
	}, With(simcloud.API.DetachLoadBalancerNetwork, "net-1")},
	{"CreateListener", MakeLoadBalancer, With(simcloud.API.CreateListener, TCP(81, 30081))},
	{"UpdateListener", MakeLoadBalancer, func(f *Fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.UpdateListener(f.Ctx, id, "tcp-80", simcloud.ListenerConfig{TargetPort: 1}, opts...)
		return err
	}},
	{"DeleteListener", MakeLoadBalancer, With(simcloud.API.DeleteListener, "tcp-80")},
	{"CreateTarget", MakeLoadBalancer, func(f *Fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.CreateTarget(f.Ctx, id, simcloud.TargetSpec{Instance: MakeInstance(f)}, opts...)
		return err
	}},
	{"DeleteTarget", MakeLoadBalancer, With(simcloud.API.DeleteTarget, "i-1")},
	{"UpdateFloatingIP", MakeFloatingIP, With(simcloud.API.UpdateFloatingIP, simcloud.FloatingIPUpdate{Name: Ptr("b")})},
	{"DeleteFloatingIP", MakeFloatingIP, Act(simcloud.API.DeleteFloatingIP)},
	{"AttachFloatingIP", MakeFloatingIP, func(f *Fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		_, err := f.AttachFloatingIP(f.Ctx, id, ToInstance(MakeInstance(f)), opts...)
		return err
	}},
	{"DetachFloatingIP", func(f *Fixture) simcloud.ID {
		return f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: ToInstance(MakeInstance(f))}).ID
	}, Act(simcloud.API.DetachFloatingIP)},
	{"UpdateRouteTable", MakeRouteTable, With(simcloud.API.UpdateRouteTable, simcloud.RouteTableUpdate{Name: Ptr("b")})},
	{"DeleteRouteTable", MakeRouteTable, Act(simcloud.API.DeleteRouteTable)},
	{"CreateRoute", MakeRouteTable, func(f *Fixture, id simcloud.ID, opts ...simcloud.CallOption) error {
		spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
		_, err := f.CreateRoute(f.Ctx, id, spec, opts...)
		return err
	}},
	{"DeleteRoute", func(f *Fixture) simcloud.ID {
		f.Route("10.244.0.0/24")
		return "rt-1"
	}, With(simcloud.API.DeleteRoute, "r-1")},
}

// MutationNamed returns the mutation of an operation.
func MutationNamed(name string) Mutation {
	for _, m := range Mutations {
		if m.Name == name {
			return m
		}
	}
	panic("no mutation " + name)
}
