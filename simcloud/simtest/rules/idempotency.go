package rules

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// creation is a mutation that can be repeated under a key; n makes specs that differ.
type creation struct {
	name string
	call func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error)
}

var creations = []creation{
	{"CreateProject", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateProject(f.Ctx, simcloud.ProjectSpec{Name: nth(n)}, opts...)
	}},
	{"CreateRegion", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateRegion(f.Ctx, simcloud.RegionSpec{Name: nth(n)}, opts...)
	}},
	{"CreateZone", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateZone(f.Ctx, simcloud.ZoneSpec{Name: nth(n), Region: "region-1"}, opts...)
	}},
	{"CreateInstanceType", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateInstanceType(f.Ctx, simcloud.InstanceTypeSpec{Name: nth(n), VCPUs: 1, MemoryMiB: 1}, opts...)
	}},
	{"CreateNetwork", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateNetwork(f.Ctx, simcloud.NetworkSpec{Name: nth(n), CIDRs: []string{"10.1.0.0/16"}}, opts...)
	}},
	{"CreateSubnet", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: nth(n), CIDR: "10.0.1.0/24"}, opts...)
	}},
	{"CreateFloatingIPPool", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateFloatingIPPool(f.Ctx, simcloud.FloatingIPPoolSpec{Name: nth(n), CIDR: "192.0.2.0/24"}, opts...)
	}},
	{"CreateCluster", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateCluster(f.Ctx, simcloud.ClusterSpec{Name: nth(n), Endpoint: "https://a"}, opts...)
	}},
	{"CreateDocument", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		spec := simcloud.DocumentSpec{Name: nth(n), Dialect: "hcloud", Type: "certificate", Body: suite.CertificateBody()}
		return f.CreateDocument(f.Ctx, spec, opts...)
	}},
	{"CreateSecurityGroup", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: nth(n)}, opts...)
	}},
	{"AddSecurityGroupRules", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		if f.Usage()[simcloud.QuotaSecurityGroups] == 0 {
			f.SecurityGroup("g")
		}
		return f.AddSecurityGroupRules(f.Ctx, "sg-1", simcloud.SecurityGroupRules{Rules: []simcloud.SecurityGroupRuleSpec{suite.AnyTCP(80 + n)}}, opts...)
	}},
	{"CreateTargetGroup", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateTargetGroup(f.Ctx, simcloud.TargetGroupSpec{Name: nth(n), Protocol: simcloud.ProtocolTCP, Port: 80}, opts...)
	}},
	{"AddGroupTargets", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		if f.Usage()[simcloud.QuotaTargetGroups] == 0 {
			suite.MakeTargetGroup(f)
		}
		targets := simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{suite.GroupTargetSpec("i-1", 81+n)}}
		return f.AddGroupTargets(f.Ctx, "tg-1", targets, opts...)
	}},
	{"SetQuota", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.SetQuota(f.Ctx, "default.vcpu", simcloud.QuotaSpec{Limit: n}, opts...)
	}},
	{"FailoverLoadBalancer", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		for f.Usage()[simcloud.QuotaLoadBalancers] < 2 {
			f.LoadBalancer(simcloud.LoadBalancerSpec{})
		}
		return f.FailoverLoadBalancer(f.Ctx, []simcloud.ID{"lb-1", "lb-2"}[n], opts...)
	}},
	{"CreateInstance", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: nth(n)}, opts...)
	}},
	{"CreateVolume", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: nth(n), SizeGiB: 1}, opts...)
	}},
	{"CreateSSHKey", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateSSHKey(f.Ctx, simcloud.SSHKeySpec{Name: nth(n), PublicKey: suite.PublicKey(n)}, opts...)
	}},
	{"AddInstanceAddress", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		if f.Usage()[simcloud.QuotaInstances] == 0 {
			suite.MakeInstance(f)
		}
		scope := []simcloud.AddressScope{simcloud.ScopePrivate, simcloud.ScopePublic}[n]
		return f.AddInstanceAddress(f.Ctx, "i-1", simcloud.AddressSpec{Scope: scope}, opts...)
	}},
	{"CreateLoadBalancer", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: nth(n)}, opts...)
	}},
	{"CreateFloatingIP", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: nth(n)}, opts...)
	}},
	{"CreateRouteTable", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateRouteTable(f.Ctx, simcloud.RouteTableSpec{Name: nth(n)}, opts...)
	}},
	{"CreateRoute", func(f *suite.Fixture, n int, opts ...simcloud.CallOption) (any, error) {
		spec := simcloud.RouteSpec{Name: nth(n), Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
		return f.CreateRoute(f.Ctx, "rt-1", spec, opts...)
	}},
}

func nth(n int) string { return string(rune('a' + n)) }

func testIdempotency(s suite.Runner) {
	for _, c := range creations {
		s.Test(c.name+"/Idempotent", func(f *suite.Fixture) {
			first := suite.Must[any](f)(c.call(f, 0, simcloud.IdempotencyKey("key")))
			revision := f.Revision()
			f.Equal("the second answer", suite.Must[any](f)(c.call(f, 0, simcloud.IdempotencyKey("key"))), first)
			f.Equal("revision", f.Revision(), revision)
			_, err := c.call(f, 1, simcloud.IdempotencyKey("key"))
			f.Want(err, simcloud.Conflict)
		})
	}
	s.Test("CreateInstance/OtherKey", func(f *suite.Fixture) {
		spec := simcloud.InstanceSpec{Name: "a"}
		a := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, spec, simcloud.IdempotencyKey("a"))).Resource
		b := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, spec, simcloud.IdempotencyKey("b"))).Resource
		f.Equal("ids", []simcloud.ID{a.ID, b.ID}, []simcloud.ID{"i-1", "i-2"})
	})
	s.Test("CreateInstance/KeyOfAFailure", func(f *suite.Fixture) {
		key := simcloud.IdempotencyKey("key")
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-z"}, key)
		f.WantField(err, "zone")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}, key))
	})
	s.Test("CreateLoadBalancer/KeyOfADeletedOne", func(f *suite.Fixture) {
		key, spec := simcloud.IdempotencyKey("key"), simcloud.LoadBalancerSpec{Name: "lb"}
		old := suite.Must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.Ctx, spec, key)).Resource
		suite.Must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.Ctx, old.ID))
		lb := suite.Must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.Ctx, spec, key)).Resource
		f.Equal("a new one", f.MustGetLoadBalancer(lb.ID), lb)
	})
	s.Test("CreateInstance/KeyOfAnotherOperation", func(f *suite.Fixture) {
		key := simcloud.IdempotencyKey("key")
		suite.Must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "a"}, key))
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}, key)
		f.Want(err, simcloud.Conflict)
	})
}

// testDeletionKeys: a deletion that is repeated under its key answers what it
// has answered; without the key there is nothing to delete any more.
func testDeletionKeys(s suite.Runner) {
	for _, m := range suite.Mutations {
		if m.Endpoint().Method != http.MethodDelete {
			continue
		}
		s.Test(m.Name+"/Idempotent", func(f *suite.Fixture) {
			id, key := m.Prepare(f), simcloud.IdempotencyKey("key")
			if err := m.Call(f, id, key); err != nil {
				f.Fatal(err)
			}
			revision := f.Revision()
			if err := m.Call(f, id, key); err != nil {
				f.Errorf("the second time: %v", err)
			}
			f.Equal("revision", f.Revision(), revision)
			f.Want(m.Call(f, id), simcloud.NotFound)
			f.Want(m.Call(f, id, simcloud.IdempotencyKey("other")), simcloud.NotFound)
			_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "b"}, key)
			f.Want(err, simcloud.Conflict)
		})
	}
	s.TestSlow("DeleteInstance/IdempotentWhileItRuns", func(f *suite.Fixture) {
		id, key := suite.MakeInstance(f), simcloud.IdempotencyKey("key")
		f.Advance(suite.OpDuration)
		first := suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, id, key))
		f.Equal("the second answer", suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, id, key)), first)
		f.Advance(suite.OpDuration)
		f.Equal("the answer afterwards", suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, id, key)), first)
	})
}

// unchangingInstances are mutations of instances that find everything as they want it.
func unchangingInstances() []suite.Mutation {
	labels := map[string]string{"k": "v"}
	return []suite.Mutation{
		{Name: "StartInstance", Prepare: suite.MakeInstance, Call: suite.MutationNamed("StartInstance").Call},
		{Name: "StopInstance", Prepare: func(f *suite.Fixture) simcloud.ID {
			id := suite.MakeInstance(f)
			suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, id))
			return id
		}, Call: suite.MutationNamed("StopInstance").Call},
		{Name: "UpdateInstance", Prepare: func(f *suite.Fixture) simcloud.ID {
			return f.InstanceOf(simcloud.InstanceSpec{Name: "a", Labels: labels}).ID
		}, Call: suite.With(simcloud.API.UpdateInstance, simcloud.InstanceUpdate{Name: suite.Ptr("a"), Labels: &labels})},
		{Name: "ResizeInstance", Prepare: suite.MakeInstance, Call: suite.With(simcloud.API.ResizeInstance, simcloud.InstanceResize{Type: "small"})},
		{Name: "MigrateInstance", Prepare: anAttachedInstance, Call: suite.With(simcloud.API.MigrateInstance, simcloud.InstanceMigration{Zone: "zone-a"})},
		{Name: "SuspendInstance", Prepare: suspended, Call: suite.Act(simcloud.API.SuspendInstance)},
	}
}

// unchangingNetworks are such mutations of what belongs to networks, and of what all share.
func unchangingNetworks() []suite.Mutation {
	return []suite.Mutation{
		{Name: "UpdateLoadBalancer", Prepare: suite.MakeLoadBalancer, Call: suite.With(simcloud.API.UpdateLoadBalancer, simcloud.LoadBalancerUpdate{Algorithm: suite.Ptr(simcloud.RoundRobin)})},
		{Name: "UpdateListener", Prepare: suite.MakeLoadBalancer, Call: func(f *suite.Fixture, id simcloud.ID, _ ...simcloud.CallOption) error {
			config := simcloud.ListenerConfig{TargetPort: 30080, AllowedCIDRs: []string{}}
			_, err := f.UpdateListener(f.Ctx, id, "tcp-80", config)
			return err
		}},
		{Name: "UpdateCluster", Prepare: suite.MakeCluster, Call: suite.With(simcloud.API.UpdateCluster, simcloud.ClusterUpdate{Endpoint: suite.Ptr("https://a"), Labels: &map[string]string{}})},
		{Name: "UpdateDocument", Prepare: suite.MakeDocument, Call: suite.With(simcloud.API.UpdateDocument, simcloud.DocumentUpdate{Body: suite.Ptr(json.RawMessage(`{ "type": "managed", "domains": ["a.example"] }`))})},
		{Name: "UpdateNetwork", Prepare: suite.Zone("net-1"), Call: suite.With(simcloud.API.UpdateNetwork, simcloud.NetworkUpdate{Labels: &map[string]string{}, Protected: suite.Ptr(false)})},
		{Name: "UpdateSubnet", Prepare: func(f *suite.Fixture) simcloud.ID { return f.Subnet("", "10.0.1.0/24").ID },
			Call: suite.With(simcloud.API.UpdateSubnet, simcloud.SubnetUpdate{Labels: &map[string]string{}})},
		{Name: "SetQuota", Prepare: suite.Zone("default.vcpu"), Call: suite.With(simcloud.API.SetQuota, simcloud.QuotaSpec{Limit: simcloud.Unlimited})},
		{Name: "UpdateZone", Prepare: suite.Zone("zone-a"), Call: suite.With(simcloud.API.UpdateZone, simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{}, Labels: &map[string]string{}})},
		{Name: "SetZoneState", Prepare: suite.Zone("zone-a"), Call: suite.With(simcloud.API.SetZoneState, simcloud.ZoneStateSpec{State: simcloud.ZoneAvailable})},
		{Name: "UpdateFloatingIP", Prepare: suite.MakeFloatingIP, Call: suite.With(simcloud.API.UpdateFloatingIP, simcloud.FloatingIPUpdate{Labels: &map[string]string{}})},
		{Name: "AttachFloatingIP", Prepare: func(f *suite.Fixture) simcloud.ID {
			lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
			return f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToLoadBalancer(lb.ID)}).ID
		}, Call: suite.With(simcloud.API.AttachFloatingIP, suite.ToLoadBalancer("lb-1"))},
		{Name: "DetachFloatingIP", Prepare: suite.MakeFloatingIP, Call: suite.MutationNamed("DetachFloatingIP").Call},
		{Name: "UpdateRouteTable", Prepare: suite.MakeRouteTable, Call: suite.With(simcloud.API.UpdateRouteTable, simcloud.RouteTableUpdate{Limit: suite.Ptr(simcloud.DefaultRouteLimit)})},
	}
}

// unchangingVolumes are such mutations of volumes and SSH keys.
func unchangingVolumes() []suite.Mutation {
	return []suite.Mutation{
		{Name: "UpdateVolume", Prepare: suite.MakeVolume, Call: suite.With(simcloud.API.UpdateVolume, simcloud.VolumeUpdate{Name: suite.Ptr("v"), Labels: &map[string]string{}})},
		{Name: "ResizeVolume", Prepare: suite.MakeVolume, Call: suite.With(simcloud.API.ResizeVolume, simcloud.VolumeResize{SizeGiB: 10})},
		{Name: "AttachVolume", Prepare: suite.MakeAttachedVolume, Call: suite.With(simcloud.API.AttachVolume, simcloud.VolumeAttachment{Instance: "i-1", Device: "/dev/sdb"})},
		{Name: "DetachVolume", Prepare: suite.MakeVolume, Call: suite.Act(simcloud.API.DetachVolume)},
		{Name: "UpdateSSHKey", Prepare: suite.MakeSSHKey, Call: suite.With(simcloud.API.UpdateSSHKey, simcloud.SSHKeyUpdate{Name: suite.Ptr("k1")})},
		{Name: "AttachSSHKey", Prepare: suite.MakeSSHKey, Call: suite.With(simcloud.API.AttachSSHKey, simcloud.SSHKeyTargets{All: true})},
		{Name: "DetachSSHKey", Prepare: anSSHKeyBesideI1, Call: suite.With(simcloud.API.DetachSSHKey, simcloud.SSHKeyTargets{Instances: []simcloud.ID{"i-1"}})},
	}
}

// testNoChange: a mutation that finds everything as it wants it succeeds, and nothing changes.
func testNoChange(s suite.Runner) {
	for _, m := range slices.Concat(unchangingInstances(), unchangingNetworks(), unchangingVolumes()) {
		s.Test(m.Name+"/NoChange", func(f *suite.Fixture) {
			id := m.Prepare(f)
			version, revision := versionOf(f, m.Kind(), id), f.Revision()
			if err := m.Call(f, id); err != nil {
				f.Fatal(err)
			}
			f.Equal("version", versionOf(f, m.Kind(), id), version)
			f.Equal("revision", f.Revision(), revision)
			ops := suite.Must[[]simcloud.Operation](f)(simcloud.ListAll(f.Ctx, f.ListOperations, simcloud.ListOptions{}))
			f.Done(ops[len(ops)-1], m.Name, m.Kind(), id)
		})
	}
}

func suspended(f *suite.Fixture) simcloud.ID {
	id := suite.MakeInstance(f)
	suite.Must[simcloud.Result[simcloud.Instance]](f)(f.SuspendInstance(f.Ctx, id))
	return id
}

func anAttachedInstance(f *suite.Fixture) simcloud.ID {
	instance, _ := f.Attached()
	return instance.ID
}

// anSSHKeyBesideI1 is one that i-1 does not have.
func anSSHKeyBesideI1(f *suite.Fixture) simcloud.ID {
	suite.MakeInstance(f)
	return suite.MakeSSHKey(f)
}
