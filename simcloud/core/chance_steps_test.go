package core_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// chance makes a step of a call that answers anything.
func chance[T any](verb string, weight int, call func(context.Context) (T, error)) chanceStep {
	return chanceStep{verb, weight, func(ctx context.Context) error { _, err := call(ctx); return err }}
}

func (s *tumult) instance() simcloud.ID { return anyOf(s.dice, s.state.Instances) }
func (s *tumult) zone() simcloud.ID     { return anyOf(s.dice, s.state.Zones) }
func (s *tumult) size() simcloud.ID     { return anyOf(s.dice, s.state.InstanceTypes) }
func (s *tumult) network() simcloud.ID  { return anyOf(s.dice, s.state.Networks) }
func (s *tumult) key() simcloud.ID      { return anyOf(s.dice, s.state.SSHKeys) }
func (s *tumult) volume() simcloud.ID   { return anyOf(s.dice, s.state.Volumes) }
func (s *tumult) lb() simcloud.ID       { return anyOf(s.dice, s.state.LoadBalancers) }
func (s *tumult) fip() simcloud.ID      { return anyOf(s.dice, s.state.FloatingIPs) }
func (s *tumult) table() simcloud.ID    { return anyOf(s.dice, s.state.RouteTables) }

// pair returns a detached volume, if there is one, and an instance of its zone.
func (s *tumult) pair() (volume, instance simcloud.ID) {
	for _, v := range s.state.Volumes {
		for _, i := range s.state.Instances {
			if v.AttachedTo == "" && v.Zone == i.Zone && s.dice.IntN(3) == 0 {
				return v.ID, i.ID
			}
		}
	}
	return s.volume(), s.instance()
}

func (s *tumult) maybe(id simcloud.ID) simcloud.ID {
	if s.dice.IntN(2) == 0 || id == unknown {
		return ""
	}
	return id
}

func (s *tumult) name() string {
	s.made++
	return fmt.Sprintf("n%d", s.made)
}

func (s *tumult) placeSteps() []chanceStep {
	c := s.cloud
	states := []simcloud.ZoneState{simcloud.ZoneAvailable, simcloud.ZoneAvailable, simcloud.ZoneDegraded, simcloud.ZoneDown}
	return []chanceStep{
		chance("SetZoneState", 3, func(ctx context.Context) (simcloud.Result[simcloud.Zone], error) {
			return c.SetZoneState(ctx, s.zone(), simcloud.ZoneStateSpec{State: states[s.dice.IntN(4)]})
		}),
		chance("UpdateZone", 2, func(ctx context.Context) (simcloud.Result[simcloud.Zone], error) {
			capacity := map[simcloud.ID]int{"small": s.dice.IntN(8)}
			return c.UpdateZone(ctx, s.zone(), simcloud.ZoneUpdate{Capacity: &capacity})
		}),
		chance("CreateZone", 1, func(ctx context.Context) (simcloud.Result[simcloud.Zone], error) {
			return c.CreateZone(ctx, simcloud.ZoneSpec{Name: s.name(), Region: "region-1"})
		}),
		chance("DeleteZone", 1, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteZone(ctx, s.zone()) }),
		chance("SetQuota", 2, func(ctx context.Context) (simcloud.Result[simcloud.Quota], error) {
			all := simcloud.QuotaResources()
			return c.SetQuota(ctx, simcloud.QuotaID("default", all[s.dice.IntN(len(all))]), simcloud.QuotaSpec{Limit: s.dice.IntN(40) - 1})
		}),
	}
}

func (s *tumult) networkSteps() []chanceStep {
	c := s.cloud
	return []chanceStep{
		chance("CreateNetwork", 1, func(ctx context.Context) (simcloud.Result[simcloud.Network], error) {
			return c.CreateNetwork(ctx, simcloud.NetworkSpec{Name: s.name(), CIDRs: []string{"10.9.0.0/26", "fd09::/122"}})
		}),
		chance("DeleteNetwork", 1, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteNetwork(ctx, s.network()) }),
		chance("CreateSubnet", 4, func(ctx context.Context) (simcloud.Result[simcloud.Subnet], error) {
			cidr := fmt.Sprintf("10.9.0.%d/29", 8*s.dice.IntN(8))
			if s.dice.IntN(2) == 0 {
				cidr = fmt.Sprintf("fd09::%x/125", 8*s.dice.IntN(8))
			}
			return c.CreateSubnet(ctx, simcloud.SubnetSpec{Name: s.name(), Network: cmp.Or(s.maybe("net-2"), s.network()), CIDR: cidr, Zone: s.maybe(s.zone())})
		}),
		chance("UpdateSubnet", 1, func(ctx context.Context) (simcloud.Result[simcloud.Subnet], error) {
			name := s.name()
			return c.UpdateSubnet(ctx, anyOf(s.dice, s.state.Subnets), simcloud.SubnetUpdate{Name: &name})
		}),
		chance("DeleteSubnet", 2, func(ctx context.Context) (simcloud.Operation, error) {
			return c.DeleteSubnet(ctx, anyOf(s.dice, s.state.Subnets))
		}),
		chance("CreateCluster", 1, func(ctx context.Context) (simcloud.Result[simcloud.Cluster], error) {
			return c.CreateCluster(ctx, simcloud.ClusterSpec{Name: s.name(), Endpoint: "https://10.0.0.1:6443"})
		}),
		chance("CreateDocument", 2, func(ctx context.Context) (simcloud.Result[simcloud.Document], error) {
			return c.CreateDocument(ctx, simcloud.DocumentSpec{Name: s.name(), Dialect: "hcloud", Type: "certificate", Body: json.RawMessage(`{}`)})
		}),
		chance("DeleteDocument", 1, func(ctx context.Context) (simcloud.Operation, error) {
			return c.DeleteDocument(ctx, anyOf(s.dice, s.state.Documents))
		}),
	}
}

func (s *tumult) group() simcloud.ID { return anyOf(s.dice, s.state.SecurityGroups) }

// groups are up to two, some of them unknown.
func (s *tumult) groups() (ids []simcloud.ID) {
	for range s.dice.IntN(3) {
		if id := s.group(); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *tumult) rule() simcloud.SecurityGroupRuleSpec {
	protocols := []simcloud.RuleProtocol{simcloud.RuleAny, simcloud.RuleTCP, simcloud.RuleUDP, ""}
	rule := simcloud.SecurityGroupRuleSpec{Protocol: protocols[s.dice.IntN(4)]}
	if rule.Group = s.maybe(s.group()); rule.Group == "" {
		rule.CIDR = fmt.Sprintf("10.%d.0.0/16", s.dice.IntN(4))
	}
	return rule
}

func (s *tumult) groupSteps() []chanceStep {
	c := s.cloud
	type groupResult = simcloud.Result[simcloud.SecurityGroup]
	return []chanceStep{
		chance("CreateSecurityGroup", 3, func(ctx context.Context) (groupResult, error) {
			return c.CreateSecurityGroup(ctx, simcloud.SecurityGroupSpec{
				Name: s.name(), Network: s.maybe(s.network()), Rules: []simcloud.SecurityGroupRuleSpec{s.rule()},
			})
		}),
		chance("DeleteSecurityGroup", 2, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteSecurityGroup(ctx, s.group()) }),
		chance("AddSecurityGroupRules", 3, func(ctx context.Context) (groupResult, error) {
			return c.AddSecurityGroupRules(ctx, s.group(), simcloud.SecurityGroupRules{Rules: []simcloud.SecurityGroupRuleSpec{s.rule(), s.rule()}})
		}),
		chance("RemoveSecurityGroupRules", 3, func(ctx context.Context) (groupResult, error) {
			rule := simcloud.ID(fmt.Sprintf("sgr-%d", 1+s.dice.IntN(20)))
			return c.RemoveSecurityGroupRules(ctx, s.group(), simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{rule}})
		}),
		chance("UpdateInstance", 3, func(ctx context.Context) (instanceResult, error) {
			groups := s.groups()
			return c.UpdateInstance(ctx, s.instance(), simcloud.InstanceUpdate{SecurityGroups: &groups})
		}),
		chance("UpdateLoadBalancer", 3, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			groups := s.groups()
			return c.UpdateLoadBalancer(ctx, s.lb(), simcloud.LoadBalancerUpdate{SecurityGroups: &groups})
		}),
	}
}

func (s *tumult) targets() simcloud.ID { return anyOf(s.dice, s.state.TargetGroups) }

func (s *tumult) groupTargets() simcloud.GroupTargets {
	return simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: s.instance(), Port: s.dice.IntN(3)}}}
}

func (s *tumult) targetGroupSteps() []chanceStep {
	c := s.cloud
	type groupResult = simcloud.Result[simcloud.TargetGroup]
	listener := func() simcloud.ListenerSpec {
		return simcloud.ListenerSpec{
			Protocol: simcloud.ProtocolTCP, Port: 1 + s.dice.IntN(3), ListenerConfig: simcloud.ListenerConfig{TargetGroup: s.targets()},
		}
	}
	return []chanceStep{
		chance("CreateTargetGroup", 3, func(ctx context.Context) (groupResult, error) {
			protocols := []simcloud.Protocol{simcloud.ProtocolTCP, simcloud.ProtocolTCP, simcloud.ProtocolUDP}
			return c.CreateTargetGroup(ctx, simcloud.TargetGroupSpec{
				Name: s.name(), Network: s.maybe(s.network()), Protocol: protocols[s.dice.IntN(3)], Port: 1,
			})
		}),
		chance("DeleteTargetGroup", 2, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteTargetGroup(ctx, s.targets()) }),
		chance("UpdateTargetGroup", 4, func(ctx context.Context) (groupResult, error) {
			lb := s.maybe(s.lb())
			return c.UpdateTargetGroup(ctx, s.targets(), simcloud.TargetGroupUpdate{PartOf: &lb})
		}),
		chance("AddGroupTargets", 4, func(ctx context.Context) (groupResult, error) {
			return c.AddGroupTargets(ctx, s.targets(), s.groupTargets())
		}),
		chance("RemoveGroupTargets", 2, func(ctx context.Context) (groupResult, error) {
			return c.RemoveGroupTargets(ctx, s.targets(), s.groupTargets())
		}),
		chance("CreateListener", 5, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.CreateListener(ctx, s.lb(), listener())
		}),
		chance("UpdateListener", 3, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			to := listener()
			return c.UpdateListener(ctx, s.lb(), simcloud.ListenerID(to.Protocol, to.Port), to.ListenerConfig)
		}),
		chance("DeleteListener", 2, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			at := listener()
			return c.DeleteListener(ctx, s.lb(), simcloud.ListenerID(at.Protocol, at.Port))
		}),
	}
}

func (s *tumult) machineSteps() []chanceStep {
	c := s.cloud
	return []chanceStep{
		chance("CreateInstance", 10, func(ctx context.Context) (instanceResult, error) {
			spec := simcloud.InstanceSpec{Name: s.name(), Zone: s.maybe(s.zone()), NoPublicAddress: s.dice.IntN(2) == 0}
			if id := s.maybe(anyOf(s.dice, s.state.Subnets)); id != "" {
				spec.Subnet = id
			} else {
				spec.Network = s.maybe(s.network())
			}
			if key := s.maybe(s.key()); key != "" {
				spec.SSHKeys = []simcloud.ID{key}
			}
			return c.CreateInstance(ctx, spec)
		}),
		chance("DeleteInstance", 5, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteInstance(ctx, s.instance()) }),
		chance("RecreateInstance", 4, func(ctx context.Context) (instanceResult, error) { return c.RecreateInstance(ctx, s.instance()) }),
		chance("RebuildInstance", 3, func(ctx context.Context) (instanceResult, error) {
			keys := []simcloud.ID{}
			if key := s.maybe(s.key()); key != "" {
				keys = append(keys, key)
			}
			return c.RebuildInstance(ctx, s.instance(), simcloud.InstanceRebuild{SSHKeys: &keys})
		}),
		chance("ResizeInstance", 3, func(ctx context.Context) (instanceResult, error) {
			return c.ResizeInstance(ctx, s.instance(), simcloud.InstanceResize{Type: s.size()})
		}),
		chance("MigrateInstance", 4, func(ctx context.Context) (instanceResult, error) {
			return c.MigrateInstance(ctx, s.instance(), simcloud.InstanceMigration{Zone: s.zone()})
		}),
		chance("AddInstanceAddress", 3, func(ctx context.Context) (instanceResult, error) {
			scopes := []simcloud.AddressScope{simcloud.ScopePrivate, simcloud.ScopePublic}
			return c.AddInstanceAddress(ctx, s.instance(), simcloud.AddressSpec{Scope: scopes[s.dice.IntN(2)], Family: []int{0, 4, 6}[s.dice.IntN(3)]})
		}),
		chance("AttachInstanceNetwork", 4, func(ctx context.Context) (instanceResult, error) {
			return c.AttachInstanceNetwork(ctx, s.instance(), simcloud.NetworkAttachment{
				Network: cmp.Or(s.maybe("net-2"), s.network()), Subnet: s.maybe(anyOf(s.dice, s.state.Subnets)),
			})
		}),
		chance("DetachInstanceNetwork", 2, func(ctx context.Context) (instanceResult, error) {
			return c.DetachInstanceNetwork(ctx, s.instance(), cmp.Or(s.maybe("net-2"), s.network()))
		}),
		chance("RemoveInstanceAddress", 3, func(ctx context.Context) (instanceResult, error) {
			if len(s.state.Instances) == 0 {
				return instanceResult{}, nil
			}
			instance := s.state.Instances[s.dice.IntN(len(s.state.Instances))]
			return c.RemoveInstanceAddress(ctx, instance.ID, simcloud.ID(instance.Addresses[s.dice.IntN(len(instance.Addresses))].Address))
		}),
	}
}

func (s *tumult) verbSteps() []chanceStep {
	c := s.cloud
	verb := func(name string, call func(context.Context, simcloud.ID, ...simcloud.CallOption) (instanceResult, error)) chanceStep {
		return chance(name, 4, func(ctx context.Context) (instanceResult, error) { return call(ctx, s.instance()) })
	}
	return []chanceStep{
		verb("StartInstance", c.StartInstance), verb("StopInstance", c.StopInstance),
		verb("RebootInstance", c.RebootInstance), verb("SuspendInstance", c.SuspendInstance),
	}
}

func (s *tumult) volumeSteps() []chanceStep {
	c := s.cloud
	return []chanceStep{
		chance("CreateVolume", 6, func(ctx context.Context) (simcloud.Result[simcloud.Volume], error) {
			return c.CreateVolume(ctx, simcloud.VolumeSpec{Name: s.name(), SizeGiB: 1 + s.dice.IntN(5), Zone: s.maybe(s.zone())})
		}),
		chance("DeleteVolume", 3, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteVolume(ctx, s.volume()) }),
		chance("AttachVolume", 10, func(ctx context.Context) (simcloud.Result[simcloud.Volume], error) {
			volume, instance := s.pair()
			return c.AttachVolume(ctx, volume, simcloud.VolumeAttachment{Instance: instance})
		}),
		chance("DetachVolume", 4, func(ctx context.Context) (simcloud.Result[simcloud.Volume], error) {
			return c.DetachVolume(ctx, s.volume())
		}),
		chance("ResizeVolume", 2, func(ctx context.Context) (simcloud.Result[simcloud.Volume], error) {
			return c.ResizeVolume(ctx, s.volume(), simcloud.VolumeResize{SizeGiB: 1 + s.dice.IntN(9)})
		}),
		chance("CreateSSHKey", 2, func(ctx context.Context) (simcloud.Result[simcloud.SSHKey], error) {
			return c.CreateSSHKey(ctx, simcloud.SSHKeySpec{Name: s.name(), PublicKey: fmt.Sprintf("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA%04d", s.made)})
		}),
		chance("DeleteSSHKey", 1, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteSSHKey(ctx, s.key()) }),
		chance("AttachSSHKey", 2, func(ctx context.Context) (simcloud.Result[simcloud.SSHKey], error) {
			if s.dice.IntN(2) == 0 {
				return c.AttachSSHKey(ctx, s.key(), simcloud.SSHKeyTargets{All: true})
			}
			return c.AttachSSHKey(ctx, s.key(), simcloud.SSHKeyTargets{Instances: []simcloud.ID{s.instance()}})
		}),
		chance("DetachSSHKey", 1, func(ctx context.Context) (simcloud.Result[simcloud.SSHKey], error) {
			return c.DetachSSHKey(ctx, s.key(), simcloud.SSHKeyTargets{Instances: []simcloud.ID{s.instance()}})
		}),
	}
}

func (s *tumult) frontSteps() []chanceStep {
	c := s.cloud
	ends := func() simcloud.Attachment {
		if s.dice.IntN(2) == 0 {
			return simcloud.Attachment{Kind: simcloud.KindInstance, ID: s.instance()}
		}
		return simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: s.lb()}
	}
	return []chanceStep{
		chance("CreateLoadBalancer", 3, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			scheme := []simcloud.Scheme{simcloud.SchemePublic, simcloud.SchemeInternal}[s.dice.IntN(2)]
			return c.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: s.name(), Scheme: scheme, Network: s.network()})
		}),
		chance("DeleteLoadBalancer", 2, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteLoadBalancer(ctx, s.lb()) }),
		chance("FailoverLoadBalancer", 2, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.FailoverLoadBalancer(ctx, s.lb())
		}),
		chance("AttachLoadBalancerNetwork", 4, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.AttachLoadBalancerNetwork(ctx, s.lb(), simcloud.NetworkAttachment{
				Network: cmp.Or(s.maybe("net-2"), s.network()), Subnet: s.maybe(anyOf(s.dice, s.state.Subnets)),
			})
		}),
		chance("DetachLoadBalancerNetwork", 2, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.DetachLoadBalancerNetwork(ctx, s.lb(), s.network())
		}),
		chance("CreateTarget", 6, func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.CreateTarget(ctx, s.lb(), simcloud.TargetSpec{Instance: s.instance()})
		}),
		chance("CreateFloatingIP", 3, func(ctx context.Context) (simcloud.Result[simcloud.FloatingIP], error) {
			return c.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: s.name(), AttachedTo: ends()})
		}),
		chance("AttachFloatingIP", 3, func(ctx context.Context) (simcloud.Result[simcloud.FloatingIP], error) {
			return c.AttachFloatingIP(ctx, s.fip(), ends())
		}),
		chance("DetachFloatingIP", 2, func(ctx context.Context) (simcloud.Result[simcloud.FloatingIP], error) {
			return c.DetachFloatingIP(ctx, s.fip())
		}),
		chance("DeleteFloatingIP", 1, func(ctx context.Context) (simcloud.Operation, error) { return c.DeleteFloatingIP(ctx, s.fip()) }),
		chance("CreateRoute", 4, func(ctx context.Context) (simcloud.Result[simcloud.RouteTable], error) {
			return c.CreateRoute(ctx, s.table(), simcloud.RouteSpec{
				Destination: fmt.Sprintf("10.%d.0.0/16", s.dice.IntN(200)), NextHop: simcloud.NextHop{Instance: s.instance()},
			})
		}),
	}
}

func (s *tumult) cloudSteps() []chanceStep {
	snapshots := func(ctx context.Context) simcloud.ID {
		all := must[[]simcloud.Snapshot](s)(s.cloud.ListSnapshots(ctx))
		if len(all) == 0 {
			return unknown
		}
		return simcloud.ID(all[s.dice.IntN(len(all))].Name)
	}
	return []chanceStep{
		chance("SaveSnapshot", 2, func(ctx context.Context) (simcloud.Snapshot, error) {
			return s.cloud.SaveSnapshot(ctx, simcloud.SnapshotSpec{Name: s.name()})
		}),
		chance("LoadSnapshot", 1, func(ctx context.Context) (simcloud.Snapshot, error) {
			return s.cloud.LoadSnapshot(ctx, snapshots(ctx))
		}),
		{"Reset", 1, s.cloud.Reset},
		chance("Seed", 1, func(ctx context.Context) (simcloud.SeedReport, error) {
			return s.cloud.Seed(ctx, s.topology())
		}),
	}
}

// topology is one with a few of everything.
func (s *tumult) topology() simcloud.Topology {
	zone := simcloud.ID(fmt.Sprintf("zone-%c", 'a'+s.dice.IntN(3)))
	instances := []simcloud.TopologyInstance{
		{InstanceSpec: simcloud.InstanceSpec{Name: "w", Zone: zone}, Count: 1 + s.dice.IntN(3)},
		{InstanceSpec: simcloud.InstanceSpec{Name: "s"}, State: simcloud.InstanceSuspended},
	}
	volumes := []simcloud.TopologyVolume{{VolumeSpec: simcloud.VolumeSpec{Name: "v", SizeGiB: 1 + s.dice.IntN(4)}, AttachedTo: "w-1"}}
	lbs := []simcloud.LoadBalancerSpec{{Name: "lb", Targets: []simcloud.TargetSpec{{Instance: "w-1"}}}}
	fips := []simcloud.FloatingIPSpec{{Name: "f", AttachedTo: simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: "lb"}}}
	topology := simcloud.Topology{Instances: &instances, Volumes: &volumes, LoadBalancers: &lbs, FloatingIPs: &fips}
	if s.dice.IntN(2) == 0 {
		topology.Regions = &[]simcloud.TopologyRegion{{
			RegionSpec: simcloud.RegionSpec{Name: "region-1"},
			Zones:      []simcloud.TopologyZone{{Name: "zone-a"}, {Name: "zone-b", State: simcloud.ZoneDown}, {Name: "zone-c"}},
		}}
	}
	return topology
}
