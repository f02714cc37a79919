package simtest

import (
	"net/http"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// creation is a mutation that can be repeated under a key; n makes specs that differ.
type creation struct {
	name string
	call func(f *fixture, n int, opts ...simcloud.CallOption) (any, error)
}

var creations = []creation{
	{"CreateProject", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateProject(f.ctx, simcloud.ProjectSpec{Name: nth(n)}, opts...)
	}},
	{"CreateRegion", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateRegion(f.ctx, simcloud.RegionSpec{Name: nth(n)}, opts...)
	}},
	{"CreateZone", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateZone(f.ctx, simcloud.ZoneSpec{Name: nth(n), Region: "region-1"}, opts...)
	}},
	{"CreateInstanceType", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateInstanceType(f.ctx, simcloud.InstanceTypeSpec{Name: nth(n), VCPUs: 1, MemoryMiB: 1}, opts...)
	}},
	{"CreateNetwork", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateNetwork(f.ctx, simcloud.NetworkSpec{Name: nth(n), CIDRs: []string{"10.1.0.0/16"}}, opts...)
	}},
	{"CreateSubnet", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateSubnet(f.ctx, simcloud.SubnetSpec{Name: nth(n), CIDR: "10.0.1.0/24"}, opts...)
	}},
	{"CreateFloatingIPPool", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateFloatingIPPool(f.ctx, simcloud.FloatingIPPoolSpec{Name: nth(n), CIDR: "192.0.2.0/24"}, opts...)
	}},
	{"CreateCluster", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateCluster(f.ctx, simcloud.ClusterSpec{Name: nth(n), Endpoint: "https://a"}, opts...)
	}},
	{"SetQuota", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.SetQuota(f.ctx, "default.vcpu", simcloud.QuotaSpec{Limit: n}, opts...)
	}},
	{"FailoverLoadBalancer", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		for f.usage()[simcloud.QuotaLoadBalancers] < 2 {
			f.loadBalancer(simcloud.LoadBalancerSpec{})
		}
		return f.FailoverLoadBalancer(f.ctx, []simcloud.ID{"lb-1", "lb-2"}[n], opts...)
	}},
	{"CreateInstance", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: nth(n)}, opts...)
	}},
	{"CreateVolume", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: nth(n), SizeGiB: 1}, opts...)
	}},
	{"CreateSSHKey", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateSSHKey(f.ctx, simcloud.SSHKeySpec{Name: nth(n), PublicKey: madeKey(n)}, opts...)
	}},
	{"AddInstanceAddress", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		if f.usage()[simcloud.QuotaInstances] == 0 {
			anInstance(f)
		}
		scope := []simcloud.AddressScope{simcloud.ScopePrivate, simcloud.ScopePublic}[n]
		return f.AddInstanceAddress(f.ctx, "i-1", simcloud.AddressSpec{Scope: scope}, opts...)
	}},
	{"CreateLoadBalancer", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{Name: nth(n)}, opts...)
	}},
	{"CreateFloatingIP", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: nth(n)}, opts...)
	}},
	{"CreateRouteTable", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		return f.CreateRouteTable(f.ctx, simcloud.RouteTableSpec{Name: nth(n)}, opts...)
	}},
	{"CreateRoute", func(f *fixture, n int, opts ...simcloud.CallOption) (any, error) {
		spec := simcloud.RouteSpec{Name: nth(n), Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
		return f.CreateRoute(f.ctx, "rt-1", spec, opts...)
	}},
}

func nth(n int) string { return string(rune('a' + n)) }

func testIdempotency(s suite) {
	for _, c := range creations {
		s.run(c.name+"/Idempotent", func(f *fixture) {
			first := must[any](f)(c.call(f, 0, simcloud.IdempotencyKey("key")))
			revision := f.revision()
			f.equal("the second answer", must[any](f)(c.call(f, 0, simcloud.IdempotencyKey("key"))), first)
			f.equal("revision", f.revision(), revision)
			_, err := c.call(f, 1, simcloud.IdempotencyKey("key"))
			f.want(err, simcloud.Conflict)
		})
	}
	s.run("CreateInstance/OtherKey", func(f *fixture) {
		spec := simcloud.InstanceSpec{Name: "a"}
		a := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, spec, simcloud.IdempotencyKey("a"))).Resource
		b := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, spec, simcloud.IdempotencyKey("b"))).Resource
		f.equal("ids", []simcloud.ID{a.ID, b.ID}, []simcloud.ID{"i-1", "i-2"})
	})
	s.run("CreateInstance/KeyOfAFailure", func(f *fixture) {
		key := simcloud.IdempotencyKey("key")
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-z"}, key)
		f.wantField(err, "zone")
		must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}, key))
	})
	s.run("CreateLoadBalancer/KeyOfADeletedOne", func(f *fixture) {
		key, spec := simcloud.IdempotencyKey("key"), simcloud.LoadBalancerSpec{Name: "lb"}
		old := must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.ctx, spec, key)).Resource
		must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.ctx, old.ID))
		lb := must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.ctx, spec, key)).Resource
		f.equal("a new one", f.getLoadBalancer(lb.ID), lb)
	})
	s.run("CreateInstance/KeyOfAnotherOperation", func(f *fixture) {
		key := simcloud.IdempotencyKey("key")
		must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{Name: "a"}, key))
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}, key)
		f.want(err, simcloud.Conflict)
	})
}

// testDeletionKeys: a deletion that is repeated under its key answers what it
// has answered; without the key there is nothing to delete any more.
func testDeletionKeys(s suite) {
	for _, m := range mutations {
		if m.endpoint().Method != http.MethodDelete {
			continue
		}
		s.run(m.name+"/Idempotent", func(f *fixture) {
			id, key := m.prepare(f), simcloud.IdempotencyKey("key")
			if err := m.call(f, id, key); err != nil {
				f.Fatal(err)
			}
			revision := f.revision()
			if err := m.call(f, id, key); err != nil {
				f.Errorf("the second time: %v", err)
			}
			f.equal("revision", f.revision(), revision)
			f.want(m.call(f, id), simcloud.NotFound)
			f.want(m.call(f, id, simcloud.IdempotencyKey("other")), simcloud.NotFound)
			_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "b"}, key)
			f.want(err, simcloud.Conflict)
		})
	}
	s.runSlow("DeleteInstance/IdempotentWhileItRuns", func(f *fixture) {
		id, key := anInstance(f), simcloud.IdempotencyKey("key")
		f.advance(opDuration)
		first := must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, id, key))
		f.equal("the second answer", must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, id, key)), first)
		f.advance(opDuration)
		f.equal("the answer afterwards", must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, id, key)), first)
	})
}

// unchangingInstances are mutations of instances that find everything as they want it.
func unchangingInstances() []mutation {
	labels := map[string]string{"k": "v"}
	return []mutation{
		{"StartInstance", anInstance, mutationNamed("StartInstance").call},
		{"StopInstance", func(f *fixture) simcloud.ID {
			id := anInstance(f)
			must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, id))
			return id
		}, mutationNamed("StopInstance").call},
		{"UpdateInstance", func(f *fixture) simcloud.ID {
			return f.instanceOf(simcloud.InstanceSpec{Name: "a", Labels: labels}).ID
		}, with(simcloud.API.UpdateInstance, simcloud.InstanceUpdate{Name: ptr("a"), Labels: &labels})},
		{"ResizeInstance", anInstance, with(simcloud.API.ResizeInstance, simcloud.InstanceResize{Type: "small"})},
		{"MigrateInstance", anAttachedInstance, with(simcloud.API.MigrateInstance, simcloud.InstanceMigration{Zone: "zone-a"})},
		{"SuspendInstance", suspended, act(simcloud.API.SuspendInstance)},
	}
}

// unchangingNetworks are such mutations of what belongs to networks, and of what all share.
func unchangingNetworks() []mutation {
	return []mutation{
		{"UpdateLoadBalancer", aLoadBalancer, with(simcloud.API.UpdateLoadBalancer, simcloud.LoadBalancerUpdate{Algorithm: ptr(simcloud.RoundRobin)})},
		{"UpdateListener", aLoadBalancer, func(f *fixture, id simcloud.ID, _ ...simcloud.CallOption) error {
			config := simcloud.ListenerConfig{TargetPort: 30080, AllowedCIDRs: []string{}}
			_, err := f.UpdateListener(f.ctx, id, "tcp-80", config)
			return err
		}},
		{"UpdateCluster", aCluster, with(simcloud.API.UpdateCluster, simcloud.ClusterUpdate{Endpoint: ptr("https://a"), Labels: &map[string]string{}})},
		{"SetQuota", theZone("default.vcpu"), with(simcloud.API.SetQuota, simcloud.QuotaSpec{Limit: simcloud.Unlimited})},
		{"UpdateZone", theZone("zone-a"), with(simcloud.API.UpdateZone, simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{}, Labels: &map[string]string{}})},
		{"SetZoneState", theZone("zone-a"), with(simcloud.API.SetZoneState, simcloud.ZoneStateSpec{State: simcloud.ZoneAvailable})},
		{"UpdateFloatingIP", aFloatingIP, with(simcloud.API.UpdateFloatingIP, simcloud.FloatingIPUpdate{Labels: &map[string]string{}})},
		{"AttachFloatingIP", func(f *fixture) simcloud.ID {
			lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
			return f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toLoadBalancer(lb.ID)}).ID
		}, with(simcloud.API.AttachFloatingIP, toLoadBalancer("lb-1"))},
		{"DetachFloatingIP", aFloatingIP, mutationNamed("DetachFloatingIP").call},
		{"UpdateRouteTable", aRouteTable, with(simcloud.API.UpdateRouteTable, simcloud.RouteTableUpdate{Limit: ptr(simcloud.DefaultRouteLimit)})},
	}
}

// unchangingVolumes are such mutations of volumes and SSH keys.
func unchangingVolumes() []mutation {
	return []mutation{
		{"UpdateVolume", aVolume, with(simcloud.API.UpdateVolume, simcloud.VolumeUpdate{Name: ptr("v"), Labels: &map[string]string{}})},
		{"ResizeVolume", aVolume, with(simcloud.API.ResizeVolume, simcloud.VolumeResize{SizeGiB: 10})},
		{"AttachVolume", anAttachedVolume, with(simcloud.API.AttachVolume, simcloud.VolumeAttachment{Instance: "i-1", Device: "/dev/sdb"})},
		{"DetachVolume", aVolume, act(simcloud.API.DetachVolume)},
		{"UpdateSSHKey", anSSHKey, with(simcloud.API.UpdateSSHKey, simcloud.SSHKeyUpdate{Name: ptr("k1")})},
		{"AttachSSHKey", anSSHKey, with(simcloud.API.AttachSSHKey, simcloud.SSHKeyTargets{All: true})},
		{"DetachSSHKey", anSSHKeyBesideI1, with(simcloud.API.DetachSSHKey, simcloud.SSHKeyTargets{Instances: []simcloud.ID{"i-1"}})},
	}
}

// testNoChange: a mutation that finds everything as it wants it succeeds, and nothing changes.
func testNoChange(s suite) {
	for _, m := range slices.Concat(unchangingInstances(), unchangingNetworks(), unchangingVolumes()) {
		s.run(m.name+"/NoChange", func(f *fixture) {
			id := m.prepare(f)
			version, revision := versionOf(f, m.kind(), id), f.revision()
			if err := m.call(f, id); err != nil {
				f.Fatal(err)
			}
			f.equal("version", versionOf(f, m.kind(), id), version)
			f.equal("revision", f.revision(), revision)
			ops := must[[]simcloud.Operation](f)(simcloud.ListAll(f.ctx, f.ListOperations, simcloud.ListOptions{}))
			f.done(ops[len(ops)-1], m.name, m.kind(), id)
		})
	}
}

func suspended(f *fixture) simcloud.ID {
	id := anInstance(f)
	must[simcloud.Result[simcloud.Instance]](f)(f.SuspendInstance(f.ctx, id))
	return id
}

func anAttachedInstance(f *fixture) simcloud.ID {
	instance, _ := f.attached()
	return instance.ID
}

// anSSHKeyBesideI1 is one that i-1 does not have.
func anSSHKeyBesideI1(f *fixture) simcloud.ID {
	anInstance(f)
	return anSSHKey(f)
}
