package rules

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// guarded is a topology with two groups that name each other, and what has them.
func guarded() simcloud.Topology {
	return simcloud.Topology{
		SecurityGroups: &[]simcloud.SecurityGroupSpec{
			{Name: "front", Rules: []simcloud.SecurityGroupRuleSpec{suite.AnyTCP(80), {Group: "back"}}},
			{Name: "back", Description: "nodes", Network: "default", Rules: []simcloud.SecurityGroupRuleSpec{{Group: "front"}, {Group: "back"}}},
		},
		Instances:     &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "web", SecurityGroups: []simcloud.ID{"back"}}}},
		LoadBalancers: &[]simcloud.LoadBalancerSpec{{Name: "lb", SecurityGroups: []simcloud.ID{"front"}}},
	}
}

func testSeedSecurityGroups(s suite.Runner) {
	s.Test("Seed/SecurityGroups", func(f *suite.Fixture) {
		report := seedWith(f, guarded())
		f.Equal("created", report.Created, []string{"security_group/front", "security_group/back", "instance/web", "load_balancer/lb"})
		f.Equal("updated", report.Updated, []string{})
		f.Check()
		wantNoChange(f, guarded())
		state := stateOf(f)
		f.Equal("groups", suite.IDs(state.SecurityGroups), []simcloud.ID{"sg-1", "sg-2"})
		f.Equal("of the rules", []simcloud.ID{state.SecurityGroups[0].Rules[1].Group, state.SecurityGroups[1].Rules[0].Group}, []simcloud.ID{"sg-2", "sg-1"})
		f.Equal("of users", []simcloud.ID{state.Instances[0].SecurityGroups[0], state.LoadBalancers[0].SecurityGroups[0]}, []simcloud.ID{"sg-2", "sg-1"})
	})
	s.Test("Seed/SecurityGroupsInPlace", func(f *suite.Fixture) {
		seedWith(f, guarded())
		want := guarded()
		groups := *want.SecurityGroups
		groups[0].Rules = []simcloud.SecurityGroupRuleSpec{suite.AnyTCP(443), {Group: "back"}}
		groups[1].Description = "machines"
		(*want.Instances)[0].SecurityGroups = []simcloud.ID{"back", "front"}
		report := seedWith(f, want)
		f.Equal("updated", report.Updated, []string{"security_group/back", "security_group/front", "instance/web"})
		f.Equal("created and deleted", [][]string{report.Created, report.Deleted}, [][]string{{}, {}})
		f.Check()
		wantNoChange(f, want)
		f.Equal("rules", stateOf(f).SecurityGroups[0].Rules[1].FromPort, 443)
	})
	s.Test("Seed/SecurityGroupGoes", func(f *suite.Fixture) {
		seedWith(f, guarded())
		want := guarded()
		*want.SecurityGroups = (*want.SecurityGroups)[:1]
		(*want.SecurityGroups)[0].Rules = (*want.SecurityGroups)[0].Rules[:1]
		(*want.Instances)[0].SecurityGroups = nil
		report := seedWith(f, want)
		f.Equal("deleted", report.Deleted, []string{"security_group/back"})
		f.Check()
		wantNoChange(f, want)
		f.Equal("groups of the instance", len(stateOf(f).Instances[0].SecurityGroups), 0)
	})
	s.Test("Seed/DefaultSecurityGroups", seedDefaultGroups)
	s.Test("Seed/SecurityGroupsInvalid", func(f *suite.Fixture) {
		for field, edit := range map[string]func(*simcloud.Topology){
			"securityGroups[0].rules[1].group":     func(t *simcloud.Topology) { (*t.SecurityGroups)[0].Rules[1].Group = "nope" },
			"securityGroups[1].name":               func(t *simcloud.Topology) { (*t.SecurityGroups)[1].Name = "front" },
			"securityGroups[1].rules[1]":           func(t *simcloud.Topology) { (*t.SecurityGroups)[1].Rules[1].Group = "front" },
			"instances[0].securityGroups[0]":       func(t *simcloud.Topology) { (*t.Instances)[0].SecurityGroups[0] = "nope" },
			"loadBalancers[0].securityGroups[0]":   func(t *simcloud.Topology) { (*t.LoadBalancers)[0].SecurityGroups[0] = "nope" },
			"loadBalancers[0].securityGroups":      func(t *simcloud.Topology) { (*t.LoadBalancers)[0].SecurityGroups = make([]simcloud.ID, 17) },
			"securityGroups[0].rules[0].direction": func(t *simcloud.Topology) { (*t.SecurityGroups)[0].Rules[0].Direction = "up" },
		} {
			want := guarded()
			edit(&want)
			_, err := f.Control().Seed(f.Ctx, want)
			f.WantField(err, field)
		}
	})
}

// seedDefaultGroups: an instance that names no group has the default one of its network, and that stays, with the rules that others
// gave it, as long as the network does.
func seedDefaultGroups(f *suite.Fixture) {
	configure(f, simcloud.ConfigUpdate{DefaultSecurityGroups: suite.Ptr(true)})
	want := simcloud.Topology{
		Networks: &[]simcloud.TopologyNetwork{
			{NetworkSpec: simcloud.NetworkSpec{Name: "default", CIDRs: []string{"10.0.0.0/16"}}},
			{NetworkSpec: simcloud.NetworkSpec{Name: "a", CIDRs: []string{"192.168.0.0/24"}}},
		},
		SecurityGroups: &[]simcloud.SecurityGroupSpec{{Name: "front"}},
		Instances:      &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "web", Network: "a"}}},
	}
	report := seedWith(f, want)
	f.Equal("created", report.Created, []string{"network/a", "security_group/front", "instance/web"})
	groups := stateOf(f).SecurityGroups
	f.Equal("groups", []string{groups[0].Name, groups[1].Name}, []string{"front", "default"})
	f.Equal("of the instance", stateOf(f).Instances[0].SecurityGroups, []simcloud.ID{groups[1].ID})
	suite.Must[simcloud.Result[simcloud.SecurityGroup]](f)(f.AddSecurityGroupRules(f.Ctx, groups[1].ID, simcloud.SecurityGroupRules{
		Rules: []simcloud.SecurityGroupRuleSpec{suite.AnyTCP(80)},
	}))
	wantNoChange(f, want)
	f.Equal("rules", len(stateOf(f).SecurityGroups[1].Rules), 4)
	(*want.Instances)[0].SecurityGroups = []simcloud.ID{"front"}
	seedWith(f, want)
	f.Equal("with one that is named", stateOf(f).Instances[0].SecurityGroups, []simcloud.ID{groups[0].ID})
	(*want.Instances)[0].SecurityGroups = nil
	seedWith(f, want)
	f.Equal("with none again", stateOf(f).Instances[0].SecurityGroups, []simcloud.ID{groups[1].ID})
	(*want.Networks)[1].CIDRs = []string{"192.168.1.0/24"}
	report = seedWith(f, want)
	f.Equal("deleted with the network", report.Deleted, []string{"instance/web", "security_group/default", "network/a"})
	f.Check()
	wantNoChange(f, want)
}
