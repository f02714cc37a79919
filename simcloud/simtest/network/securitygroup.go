package network

import (
	"errors"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type groupResult = simcloud.Result[simcloud.SecurityGroup]

func testSecurityGroups(s suite.Runner) {
	s.Test("GetSecurityGroup/NotFound", func(f *suite.Fixture) {
		_, err := f.GetSecurityGroup(f.Ctx, "sg-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "security_group/sg-1")
	})
	s.Test("CreateSecurityGroup/OK", func(f *suite.Fixture) {
		front := f.SecurityGroup("front").ID
		spec := simcloud.SecurityGroupSpec{
			Name: "back", Description: "nodes", Labels: map[string]string{"k": "v"}, Network: "net-1",
			Rules: []simcloud.SecurityGroupRuleSpec{
				{Group: front, Description: "from the front"},
				{Direction: simcloud.Egress, Protocol: simcloud.RuleUDP, FromPort: 53, ToPort: 53, CIDR: "FD00:0::/64"},
				{Protocol: simcloud.RuleICMP, FromPort: 3, ToPort: 4, CIDR: "0.0.0.0/0"},
			},
		}
		r := suite.Must[groupResult](f)(f.CreateSecurityGroup(f.Ctx, spec))
		f.Done(r.Operation, "CreateSecurityGroup", simcloud.KindSecurityGroup, "sg-2")
		g := r.Resource
		f.Equal("group", []any{g.Name, g.Description, g.Labels, g.Network}, []any{"back", "nodes", spec.Labels, simcloud.ID("net-1")})
		f.Equal("rules", g.Rules, []simcloud.SecurityGroupRule{
			{ID: "sgr-1", SecurityGroupRuleSpec: simcloud.SecurityGroupRuleSpec{
				Direction: simcloud.Ingress, Protocol: simcloud.RuleAny, Group: front, Description: "from the front",
			}},
			{ID: "sgr-2", SecurityGroupRuleSpec: simcloud.SecurityGroupRuleSpec{
				Direction: simcloud.Egress, Protocol: simcloud.RuleUDP, FromPort: 53, ToPort: 53, CIDR: "fd00::/64",
			}},
			{ID: "sgr-3", SecurityGroupRuleSpec: simcloud.SecurityGroupRuleSpec{
				Direction: simcloud.Ingress, Protocol: simcloud.RuleICMP, FromPort: 3, ToPort: 4, CIDR: "0.0.0.0/0",
			}},
		})
		f.Equal("as read", suite.Must[simcloud.SecurityGroup](f)(f.GetSecurityGroup(f.Ctx, "sg-2")), g)
	})
	s.Test("CreateSecurityGroup/Invalid", refuseGroups)
	s.Test("UpdateSecurityGroup/OK", func(f *suite.Fixture) {
		before := f.SecurityGroup("a", suite.AnyTCP(80))
		update := simcloud.SecurityGroupUpdate{Name: suite.Ptr("b"), Description: suite.Ptr("c"), Labels: &map[string]string{"x": "y"}}
		r := suite.Must[groupResult](f)(f.UpdateSecurityGroup(f.Ctx, before.ID, update))
		f.Done(r.Operation, "UpdateSecurityGroup", simcloud.KindSecurityGroup, before.ID)
		g := r.Resource
		f.Equal("group", []any{g.Name, g.Description, g.Labels, g.Rules}, []any{"b", "c", *update.Labels, before.Rules})
		f.Equal("as read", suite.Must[simcloud.SecurityGroup](f)(f.GetSecurityGroup(f.Ctx, g.ID)), g)
		_, err := f.UpdateSecurityGroup(f.Ctx, g.ID, simcloud.SecurityGroupUpdate{Description: suite.Ptr("\n")})
		f.WantField(err, "description")
	})
	s.Test("DeleteSecurityGroup/OK", func(f *suite.Fixture) {
		id := f.SecurityGroup("a").ID
		rules := []simcloud.SecurityGroupRuleSpec{{Group: id}} // its own keeps no group there
		suite.Must[groupResult](f)(f.AddSecurityGroupRules(f.Ctx, id, simcloud.SecurityGroupRules{Rules: rules}))
		op := suite.Must[simcloud.Operation](f)(f.DeleteSecurityGroup(f.Ctx, id))
		f.Done(op, "DeleteSecurityGroup", simcloud.KindSecurityGroup, id)
		_, err := f.GetSecurityGroup(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
		f.Equal("the next id", f.SecurityGroup("a").ID, simcloud.ID("sg-2"))
	})
	s.Test("DeleteNetwork/HasSecurityGroup", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/24").ID
		spec := simcloud.SecurityGroupSpec{Name: "a", Network: network}
		id := suite.Must[groupResult](f)(f.CreateSecurityGroup(f.Ctx, spec)).Resource.ID
		_, err := f.DeleteNetwork(f.Ctx, network)
		f.Want(err, simcloud.InUse)
		suite.Drop(f)(f.DeleteSecurityGroup(f.Ctx, id))
		suite.Drop(f)(f.DeleteNetwork(f.Ctx, network))
	})
}

// refuseGroups: each field of a group and of its rules is checked.
func refuseGroups(f *suite.Fixture) {
	_, err := f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "a b", Description: strings.Repeat("x", 256)})
	f.WantField(err, "name")
	f.WantField(err, "description")
	for field, rule := range map[string]simcloud.SecurityGroupRuleSpec{
		"direction": {Direction: "up", CIDR: "10.0.0.0/8"},
		"protocol":  {Protocol: "sctp", CIDR: "10.0.0.0/8"},
		"fromPort":  {FromPort: 80, ToPort: 80, CIDR: "10.0.0.0/8"},
		"toPort":    {Protocol: simcloud.RuleTCP, FromPort: 80, ToPort: 79, CIDR: "10.0.0.0/8"},
		"cidr":      {CIDR: "10.0.0.1/8"},
	} {
		_, err := f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "a", Rules: []simcloud.SecurityGroupRuleSpec{suite.AnyTCP(1), rule}})
		f.WantField(err, "rules[1]."+field)
	}
	for _, rule := range []simcloud.SecurityGroupRuleSpec{{}, {CIDR: "10.0.0.0/8", Group: "sg-1"}} {
		_, err := f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "a", Rules: []simcloud.SecurityGroupRuleSpec{rule}})
		f.WantField(err, "rules[0].cidr")
	}
	for _, rule := range []simcloud.SecurityGroupRuleSpec{
		{Protocol: simcloud.RuleTCP, ToPort: 65536, CIDR: "10.0.0.0/8"}, {Protocol: simcloud.RuleICMP, ToPort: 256, CIDR: "10.0.0.0/8"},
	} {
		_, err := f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "a", Rules: []simcloud.SecurityGroupRuleSpec{rule}})
		f.WantField(err, "rules[0].toPort")
	}
	_, err = f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "a", Network: "net-9"})
	f.WantField(err, "network")
	_, err = f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "a", Rules: []simcloud.SecurityGroupRuleSpec{{Group: "sg-9"}}})
	f.WantField(err, "rules[0].group")
}

// addRules adds rules to a group.
func addRules(f *suite.Fixture, id simcloud.ID, rules ...simcloud.SecurityGroupRuleSpec) (simcloud.SecurityGroup, error) {
	r, err := f.AddSecurityGroupRules(f.Ctx, id, simcloud.SecurityGroupRules{Rules: rules})
	return r.Resource, err
}

func testSecurityGroupRules(s suite.Runner) {
	s.Test("AddSecurityGroupRules/OK", func(f *suite.Fixture) {
		id := f.SecurityGroup("a", suite.AnyTCP(80)).ID
		r := suite.Must[groupResult](f)(f.AddSecurityGroupRules(f.Ctx, id, simcloud.SecurityGroupRules{
			Rules: []simcloud.SecurityGroupRuleSpec{suite.AnyTCP(81), {Group: id}},
		}))
		f.Done(r.Operation, "AddSecurityGroupRules", simcloud.KindSecurityGroup, id)
		f.Equal("rules", ruleIDs(r.Resource), []simcloud.ID{"sgr-1", "sgr-2", "sgr-3"})
		f.Equal("the last one", r.Resource.Rules[2].Group, id)
		f.Equal("as read", suite.Must[simcloud.SecurityGroup](f)(f.GetSecurityGroup(f.Ctx, id)), r.Resource)
	})
	s.Test("AddSecurityGroupRules/Invalid", func(f *suite.Fixture) {
		id := f.SecurityGroup("a").ID
		_, err := addRules(f, id)
		f.WantField(err, "rules")
		_, err = addRules(f, id, suite.AnyTCP(1), simcloud.SecurityGroupRuleSpec{CIDR: "10"})
		f.WantField(err, "rules[1].cidr")
		_, err = addRules(f, id, suite.AnyTCP(1), simcloud.SecurityGroupRuleSpec{Group: "sg-9"})
		f.WantField(err, "rules[1].group")
	})
	s.Test("AddSecurityGroupRules/AllOrNone", func(f *suite.Fixture) {
		before := f.SecurityGroup("a", suite.AnyTCP(80))
		other := suite.AnyTCP(80)
		other.Description, other.Direction = "the same with other words", simcloud.Ingress
		_, err := addRules(f, before.ID, suite.AnyTCP(81), other)
		f.Want(err, simcloud.AlreadyExists)
		f.WantResource(err, "security_group/"+string(before.ID))
		f.Equal("afterwards", suite.Must[simcloud.SecurityGroup](f)(f.GetSecurityGroup(f.Ctx, before.ID)), before)
		_, err = addRules(f, before.ID, suite.AnyTCP(82), suite.AnyTCP(82)) // twice in one call
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("AddSecurityGroupRules/SameTraffic", func(f *suite.Fixture) {
		all := simcloud.SecurityGroupRuleSpec{Protocol: simcloud.RuleTCP, CIDR: "0.0.0.0/0"}
		id := f.SecurityGroup("a", all).ID
		spelled := all
		spelled.ToPort = 65535
		_, err := addRules(f, id, spelled)
		f.Want(err, simcloud.AlreadyExists)
		for _, edit := range []func(*simcloud.SecurityGroupRuleSpec){
			func(r *simcloud.SecurityGroupRuleSpec) { r.Protocol = simcloud.RuleUDP },
			func(r *simcloud.SecurityGroupRuleSpec) { r.Protocol = simcloud.RuleAny },
			func(r *simcloud.SecurityGroupRuleSpec) { r.ToPort = 65534 },
			func(r *simcloud.SecurityGroupRuleSpec) { r.CIDR = "::/0" },
			func(r *simcloud.SecurityGroupRuleSpec) { r.CIDR, r.Group = "", id },
			func(r *simcloud.SecurityGroupRuleSpec) { r.Direction = simcloud.Egress },
		} {
			another := all
			edit(&another)
			suite.Must[simcloud.SecurityGroup](f)(addRules(f, id, another))
		}
	})
	s.Test("AddSecurityGroupRules/Capacity", func(f *suite.Fixture) {
		suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{MaxSecurityGroupRules: suite.Ptr(2)}))
		id := f.SecurityGroup("a", suite.AnyTCP(1)).ID
		_, err := addRules(f, id, suite.AnyTCP(2), suite.AnyTCP(3))
		f.Want(err, simcloud.Capacity)
		suite.Must[simcloud.SecurityGroup](f)(addRules(f, id, suite.AnyTCP(2)))
		_, err = f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{
			Name: "b", Rules: []simcloud.SecurityGroupRuleSpec{suite.AnyTCP(1), suite.AnyTCP(2), suite.AnyTCP(3)},
		})
		f.Want(err, simcloud.Capacity)
	})
	s.Test("AddSecurityGroupRules/GroupOfAnotherNetwork", func(f *suite.Fixture) {
		spec := simcloud.SecurityGroupSpec{Name: "theirs", Network: f.Network("10.9.0.0/24").ID}
		theirs := suite.Must[groupResult](f)(f.CreateSecurityGroup(f.Ctx, spec)).Resource.ID
		spec.Network = "net-1"
		ours := suite.Must[groupResult](f)(f.CreateSecurityGroup(f.Ctx, spec)).Resource.ID
		_, err := addRules(f, ours, simcloud.SecurityGroupRuleSpec{Group: theirs})
		f.WantField(err, "rules[0].group")
		suite.Must[simcloud.SecurityGroup](f)(addRules(f, f.SecurityGroup("of-any").ID, simcloud.SecurityGroupRuleSpec{Group: theirs}))
	})
	testSecurityGroupRulesGo(s)
}

func testSecurityGroupRulesGo(s suite.Runner) {
	s.Test("RemoveSecurityGroupRules/OK", func(f *suite.Fixture) {
		id := f.SecurityGroup("a", suite.AnyTCP(1), suite.AnyTCP(2), suite.AnyTCP(3)).ID
		r := suite.Must[groupResult](f)(f.RemoveSecurityGroupRules(f.Ctx, id, simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{"sgr-3", "sgr-1"}}))
		f.Done(r.Operation, "RemoveSecurityGroupRules", simcloud.KindSecurityGroup, id)
		f.Equal("rules", ruleIDs(r.Resource), []simcloud.ID{"sgr-2"})
		again := suite.Must[simcloud.SecurityGroup](f)(addRules(f, id, suite.AnyTCP(1)))
		f.Equal("an id is given once", ruleIDs(again), []simcloud.ID{"sgr-2", "sgr-4"})
	})
	s.Test("RemoveSecurityGroupRules/AllOrNone", func(f *suite.Fixture) {
		before, other := f.SecurityGroup("a", suite.AnyTCP(1)), f.SecurityGroup("b", suite.AnyTCP(1))
		for _, unknown := range []simcloud.ID{"sgr-9", other.Rules[0].ID} {
			_, err := f.RemoveSecurityGroupRules(f.Ctx, before.ID, simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{"sgr-1", unknown}})
			f.Want(err, simcloud.NotFound)
			f.WantResource(err, "security_group/"+string(before.ID))
		}
		f.Equal("afterwards", suite.Must[simcloud.SecurityGroup](f)(f.GetSecurityGroup(f.Ctx, before.ID)), before)
		_, err := f.RemoveSecurityGroupRules(f.Ctx, before.ID, simcloud.SecurityGroupRuleIDs{})
		f.WantField(err, "rules")
		_, err = f.RemoveSecurityGroupRules(f.Ctx, before.ID, simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{"sgr-1", "sgr-1"}})
		f.WantField(err, "rules[1]")
	})
}

func ruleIDs(group simcloud.SecurityGroup) []simcloud.ID {
	ids := make([]simcloud.ID, len(group.Rules))
	for i, rule := range group.Rules {
		ids[i] = rule.ID
	}
	return ids
}

// testSecurityGroupUsers: what has groups, and what that does to them.
func testSecurityGroupUsers(s suite.Runner) {
	s.Test("CreateInstance/SecurityGroups", func(f *suite.Fixture) {
		a, b := f.SecurityGroup("a").ID, f.SecurityGroup("b").ID
		instance := f.InstanceOf(simcloud.InstanceSpec{Name: "i", SecurityGroups: []simcloud.ID{b, a}})
		f.Equal("groups", instance.SecurityGroups, []simcloud.ID{b, a})
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, instance.ID))
		f.Equal("of its successor", r.Resource.SecurityGroups, []simcloud.ID{b, a})
		r = suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, r.Resource.ID, simcloud.InstanceUpdate{SecurityGroups: &[]simcloud.ID{a}}))
		f.Equal("after an update", r.Resource.SecurityGroups, []simcloud.ID{a})
		r = suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, r.Resource.ID, simcloud.InstanceUpdate{Name: suite.Ptr("j")}))
		f.Equal("after another one", r.Resource.SecurityGroups, []simcloud.ID{a})
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, r.Resource.ID, simcloud.InstanceUpdate{SecurityGroups: &[]simcloud.ID{}}))
		f.Equal("without any", len(f.MustGetInstance(r.Resource.ID).SecurityGroups), 0)
	})
	s.Test("CreateInstance/SecurityGroupsInvalid", func(f *suite.Fixture) {
		for field, ids := range badGroups(f) {
			_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "i", SecurityGroups: ids})
			f.WantField(err, field)
			_, err = f.UpdateInstance(f.Ctx, f.Instance("j").ID, simcloud.InstanceUpdate{SecurityGroups: &ids})
			f.WantField(err, field)
		}
	})
	s.Test("CreateLoadBalancer/SecurityGroups", func(f *suite.Fixture) {
		a, b := f.SecurityGroup("a").ID, f.SecurityGroup("b").ID
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{SecurityGroups: []simcloud.ID{a}})
		f.Equal("groups", lb.SecurityGroups, []simcloud.ID{a})
		suite.Must[lbResult](f)(f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{SecurityGroups: &[]simcloud.ID{b, a}}))
		f.Equal("after an update", f.MustGetLoadBalancer(lb.ID).SecurityGroups, []simcloud.ID{b, a})
		suite.Must[lbResult](f)(f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{Name: suite.Ptr("j")}))
		f.Equal("after another one", f.MustGetLoadBalancer(lb.ID).SecurityGroups, []simcloud.ID{b, a})
	})
	s.Test("CreateLoadBalancer/SecurityGroupsInvalid", func(f *suite.Fixture) {
		for field, ids := range badGroups(f) {
			_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "i", SecurityGroups: ids})
			f.WantField(err, field)
			_, err = f.UpdateLoadBalancer(f.Ctx, f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID, simcloud.LoadBalancerUpdate{SecurityGroups: &ids})
			f.WantField(err, field)
		}
	})
	s.Test("DeleteSecurityGroup/InUse", func(f *suite.Fixture) {
		id := f.SecurityGroup("a").ID
		groups := []simcloud.ID{id}
		instance, lb := f.InstanceOf(simcloud.InstanceSpec{Name: "i", SecurityGroups: groups}), f.LoadBalancer(simcloud.LoadBalancerSpec{SecurityGroups: groups})
		other := f.SecurityGroup("b", simcloud.SecurityGroupRuleSpec{Group: id})
		wantUsers(f, id, "instance/i-1, load_balancer/lb-1, security_group/sg-2")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, instance.ID, simcloud.InstanceUpdate{SecurityGroups: &[]simcloud.ID{}}))
		wantUsers(f, id, "these refer to it: load_balancer/lb-1, security_group/sg-2")
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		wantUsers(f, id, "these refer to it: security_group/sg-2")
		suite.Must[groupResult](f)(f.RemoveSecurityGroupRules(f.Ctx, other.ID, simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{other.Rules[0].ID}}))
		suite.Drop(f)(f.DeleteSecurityGroup(f.Ctx, id))
	})
	s.Test("DeleteSecurityGroup/ManyUsers", func(f *suite.Fixture) {
		id := f.SecurityGroup("a").ID
		for n := range 7 {
			f.InstanceOf(simcloud.InstanceSpec{Name: "i", SecurityGroups: []simcloud.ID{id}})
			if n == 5 {
				wantUsers(f, id, "instance/i-5 and 1 more")
			}
		}
		wantUsers(f, id, "instance/i-5 and 2 more")
	})
	s.TestSlow("DeleteSecurityGroup/UsersThatGo", func(f *suite.Fixture) {
		id := f.SecurityGroup("a").ID
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{SecurityGroups: []simcloud.ID{id}})
		f.Advance(suite.OpDuration)
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		wantUsers(f, id, "load_balancer/lb-1")
		f.Advance(suite.OpDuration)
		suite.Drop(f)(f.DeleteSecurityGroup(f.Ctx, id))
	})
	s.Test("ListInstances/RefersToSecurityGroup", func(f *suite.Fixture) {
		id := f.SecurityGroup("a").ID
		f.Instance("without")
		with := f.InstanceOf(simcloud.InstanceSpec{Name: "i", SecurityGroups: []simcloud.ID{id}})
		f.SecurityGroup("c")
		naming := f.SecurityGroup("b", simcloud.SecurityGroupRuleSpec{Group: id})
		opts := simcloud.ListOptions{RefersTo: "security_group/" + string(id)}
		f.Equal("instances", suite.IDs(suite.Must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.Ctx, opts)).Items), []simcloud.ID{with.ID})
		f.Equal("groups", suite.IDs(suite.Must[simcloud.Page[simcloud.SecurityGroup]](f)(f.ListSecurityGroups(f.Ctx, opts)).Items), []simcloud.ID{naming.ID})
	})
}

// badGroups are lists of groups that an instance or load balancer of net-1 cannot have, by the field that is wrong.
func badGroups(f *suite.Fixture) map[string][]simcloud.ID {
	f.Helper()
	spec := simcloud.SecurityGroupSpec{Name: "theirs", Network: f.Network("10.9.0.0/24").ID}
	theirs := suite.Must[groupResult](f)(f.CreateSecurityGroup(f.Ctx, spec)).Resource.ID
	a := f.SecurityGroup("a").ID
	many := make([]simcloud.ID, simcloud.MaxSecurityGroups+1)
	for i := range many {
		many[i] = f.SecurityGroup("many").ID
	}
	return map[string][]simcloud.ID{
		"securityGroups[0]": {"sg-99"}, "securityGroups[1]": {a, theirs}, "securityGroups[2]": {"x", "y", "x"}, "securityGroups": many,
	}
}

// wantUsers fails the test unless a group cannot be deleted, because of these.
func wantUsers(f *suite.Fixture, id simcloud.ID, users string) {
	f.Helper()
	_, err := f.DeleteSecurityGroup(f.Ctx, id)
	f.Want(err, simcloud.InUse)
	f.WantResource(err, "security_group/"+string(id))
	var e *simcloud.Error
	if errors.As(err, &e) && !strings.HasSuffix(e.Message, users) {
		f.Errorf("%q does not end in %q", e.Message, users)
	}
}
