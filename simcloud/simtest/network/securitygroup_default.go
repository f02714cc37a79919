package network

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// withDefaults gives a network a group for instances without groups.
func withDefaults(f *suite.Fixture) {
	suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{DefaultSecurityGroups: suite.Ptr(true)}))
}

// groupsNow are all security groups.
func groupsNow(f *suite.Fixture) []simcloud.SecurityGroup {
	return suite.Must[simcloud.Page[simcloud.SecurityGroup]](f)(f.ListSecurityGroups(f.Ctx, simcloud.ListOptions{})).Items
}

func testDefaultSecurityGroups(s suite.Runner) {
	s.Test("CreateInstance/NoDefaultSecurityGroup", func(f *suite.Fixture) {
		f.Equal("groups of the instance", len(f.Instance("a").SecurityGroups), 0)
		f.Equal("groups", len(groupsNow(f)), 0)
	})
	s.Test("CreateInstance/DefaultSecurityGroup", func(f *suite.Fixture) {
		own := f.SecurityGroup("own").ID
		withDefaults(f)
		other := f.Network("192.168.0.0/24")
		f.Equal("with one", f.InstanceOf(simcloud.InstanceSpec{Name: "a", SecurityGroups: []simcloud.ID{own}}).SecurityGroups, []simcloud.ID{own})
		f.Equal("the first", f.Instance("b").SecurityGroups, []simcloud.ID{"sg-2"})
		f.Equal("the second", f.Instance("c").SecurityGroups, []simcloud.ID{"sg-2"})
		f.Equal("in another network", f.InstanceOf(simcloud.InstanceSpec{Name: "d", Network: other.ID}).SecurityGroups, []simcloud.ID{"sg-3"})
		g := suite.Must[simcloud.SecurityGroup](f)(f.GetSecurityGroup(f.Ctx, "sg-2"))
		f.Equal("group", []any{g.Name, g.Network, g.Project, len(g.Labels)}, []any{"default", simcloud.ID("net-1"), simcloud.DefaultProject, 0})
		var rules []simcloud.SecurityGroupRuleSpec
		for _, rule := range g.Rules {
			rules = append(rules, rule.SecurityGroupRuleSpec)
		}
		f.Equal("rules", rules, []simcloud.SecurityGroupRuleSpec{
			{Direction: simcloud.Ingress, Protocol: simcloud.RuleAny, Group: "sg-2"},
			{Direction: simcloud.Egress, Protocol: simcloud.RuleAny, CIDR: "0.0.0.0/0"}, {Direction: simcloud.Egress, Protocol: simcloud.RuleAny, CIDR: "::/0"},
		})
		f.Equal("of the other network", groupsNow(f)[2].Network, other.ID)
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, "i-2"))
		f.Equal("after it was made again", r.Resource.SecurityGroups, []simcloud.ID{"sg-2"})
		none := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, "i-3", simcloud.InstanceUpdate{SecurityGroups: &[]simcloud.ID{}}))
		f.Equal("after all were taken", len(none.Resource.SecurityGroups), 0)
		f.Check()
	})
	s.Test("CreateInstance/DefaultSecurityGroupIsThere", func(f *suite.Fixture) {
		withDefaults(f)
		f.SecurityGroup("default") // of no network
		own := suite.Must[groupResult](f)(f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "default", Network: "net-1"})).Resource.ID
		f.Equal("groups", f.Instance("a").SecurityGroups, []simcloud.ID{own})
	})
	s.Test("CreateInstance/OldestDefaultSecurityGroup", func(f *suite.Fixture) {
		for range 2 {
			suite.Must[groupResult](f)(f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: simcloud.DefaultSecurityGroup, Network: "net-1"}))
		}
		withDefaults(f)
		f.Equal("groups", f.Instance("a").SecurityGroups, []simcloud.ID{"sg-1"})
	})
	s.Test("CreateInstance/DefaultSecurityGroupLimits", func(f *suite.Fixture) {
		unique := []simcloud.Kind{simcloud.KindSecurityGroup}
		suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{
			DefaultSecurityGroups: suite.Ptr(true), MaxSecurityGroupRules: suite.Ptr(1), UniqueNames: &unique,
		}))
		other := f.Network("192.168.0.0/24")
		f.Instance("a")
		f.InstanceOf(simcloud.InstanceSpec{Name: "b", Network: other.ID})
		f.Equal("groups", len(groupsNow(f)), 2)
		f.Limit(simcloud.QuotaSecurityGroups, 2)
		third := f.Network("192.168.1.0/24")
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "c", Network: third.ID})
		f.Want(err, simcloud.QuotaExceeded)
	})
	testDefaultSecurityGroupGoes(s)
}

func testDefaultSecurityGroupGoes(s suite.Runner) {
	s.Test("DeleteNetwork/DefaultSecurityGroup", func(f *suite.Fixture) {
		withDefaults(f)
		network := f.Network("192.168.0.0/24")
		instance := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		_, err := f.DeleteNetwork(f.Ctx, network.ID)
		f.Want(err, simcloud.InUse)
		f.WantResource(err, simcloud.Ref(simcloud.KindNetwork, network.ID))
		f.Equal("groups while it is in use", len(groupsNow(f)), 1)
		suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, instance.ID))
		story := f.StoryOf(func() { suite.Must[simcloud.Operation](f)(f.DeleteNetwork(f.Ctx, network.ID)) })
		f.Equal("groups", len(groupsNow(f)), 0)
		if !slices.ContainsFunc(story, func(line string) bool { return line == "deleted security_group/sg-1" }) {
			f.Errorf("the events are %q", story)
		}
		f.Check()
	})
	s.Test("DeleteNetwork/DefaultSecurityGroupInUse", func(f *suite.Fixture) {
		withDefaults(f)
		network := f.Network("192.168.0.0/24")
		instance := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		suite.Drop(f)(f.DeleteInstance(f.Ctx, instance.ID))
		f.SecurityGroup("b", simcloud.SecurityGroupRuleSpec{Group: "sg-1"})
		_, err := f.DeleteNetwork(f.Ctx, network.ID)
		f.Want(err, simcloud.InUse)
		f.Equal("groups", len(groupsNow(f)), 2)
		f.Check()
	})
	s.Test("DeleteNetwork/NoDefaultSecurityGroup", func(f *suite.Fixture) {
		network := f.Network("192.168.0.0/24")
		suite.Must[groupResult](f)(f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "default", Network: network.ID}))
		_, err := f.DeleteNetwork(f.Ctx, network.ID)
		f.Want(err, simcloud.InUse)
		withDefaults(f)
		suite.Must[simcloud.Operation](f)(f.DeleteNetwork(f.Ctx, network.ID))
		f.Equal("groups", len(groupsNow(f)), 0)
	})
}
