package dataplane

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// guardedView has an instance and a load balancer with groups, in a network with a subnet.
func guardedView(rules ...simcloud.SecurityGroupRuleSpec) mirror.View {
	group := func(id simcloud.ID, rules ...simcloud.SecurityGroupRuleSpec) simcloud.SecurityGroup {
		g := simcloud.SecurityGroup{Meta: simcloud.Meta{ID: id}}
		for i, rule := range rules {
			g.Rules = append(g.Rules, simcloud.SecurityGroupRule{ID: simcloud.ID(fmt.Sprintf("sgr-%d", i+1)), SecurityGroupRuleSpec: rule})
		}
		return g
	}
	member := instanceOf(simcloud.InstanceRunning, false, "10.0.1.9")
	member.SecurityGroups = []simcloud.ID{"sg-members"}
	instance := instanceOf(simcloud.InstanceRunning, false, "10.0.1.1")
	instance.SecurityGroups = []simcloud.ID{"sg-empty", "sg-tested", "sg-gone"}
	return mirror.View{
		SecurityGroups: map[simcloud.ID]simcloud.SecurityGroup{
			"sg-empty": group("sg-empty"), "sg-tested": group("sg-tested", rules...), "sg-members": group("sg-members"), "sg-lb": group("sg-lb"),
		},
		Instances: map[simcloud.ID]simcloud.Instance{"i-1": instance, "i-9": member, "i-2": instanceOf(simcloud.InstanceRunning, false, "10.0.1.2")},
		Networks:  map[simcloud.ID]simcloud.Network{"net-1": {CIDRs: []string{"10.0.0.0/16"}}, "net-2": {CIDRs: []string{"10.2.0.0/16"}}},
		Subnets: map[simcloud.ID]simcloud.Subnet{
			"subnet-1": {Network: "net-1", CIDR: "10.0.1.0/24"}, "subnet-2": {Network: "net-2", CIDR: "10.2.1.0/24"},
		},
		LoadBalancers: map[simcloud.ID]simcloud.LoadBalancer{"lb-1": {
			Meta: simcloud.Meta{ID: "lb-1"}, State: simcloud.LoadBalancerActive, Network: "net-1",
			SecurityGroups: []simcloud.ID{"sg-lb", "sg-tested"},
			VIPs:           []simcloud.VIP{{Address: "127.77.0.1", Pool: "public"}, {Address: "10.0.2.7", Network: "net-1"}},
			Listeners:      []simcloud.Listener{{Protocol: simcloud.ProtocolTCP, Port: 80}},
			Targets:        []simcloud.Target{{Instance: "i-1"}, {Instance: "i-2"}},
		}},
	}
}

// letIn tells which of some passages an ingress lets in: a client of the internet, one that is a member of
// sg-members, both to tcp port 80, and a health check of the load balancer there.
func letIn(g *Ingress) string {
	var in []string
	for _, p := range []struct {
		name string
		passage
	}{
		{"client", passage{client: netip.MustParseAddr("192.0.2.1"), protocol: "tcp", port: 80}},
		{"member", passage{client: netip.MustParseAddr("10.0.1.9"), protocol: "tcp", port: 80}},
		{"v6", passage{client: netip.MustParseAddr("2001:db8::1"), protocol: "tcp", port: 80}},
		{"udp", passage{client: netip.MustParseAddr("192.0.2.1"), protocol: "udp", port: 53}},
		{"check", passage{check: true, protocol: "tcp", port: 80}},
	} {
		if g.lets(p.passage) {
			in = append(in, p.name)
		}
	}
	return strings.Join(in, " ")
}

// TestIngressOfRules: what a rule of a security group lets in, to a target and to a load balancer.
func TestIngressOfRules(t *testing.T) {
	t.Parallel()
	type rule = simcloud.SecurityGroupRuleSpec
	for name, c := range map[string]struct {
		rule           rule
		target, client string // to the target, and to the load balancer
	}{
		"anywhere":                  {rule{CIDR: "0.0.0.0/0"}, "client member udp check", "client member udp"},
		"IPv6":                      {rule{CIDR: "::/0"}, "v6", "v6"},
		"all of tcp":                {rule{Protocol: simcloud.RuleTCP, CIDR: "0.0.0.0/0"}, "client member check", "client member"},
		"one port":                  {rule{Protocol: simcloud.RuleUDP, FromPort: 53, ToPort: 53, CIDR: "0.0.0.0/0"}, "udp", "udp"},
		"icmp":                      {rule{Protocol: simcloud.RuleICMP, FromPort: 3, ToPort: 4, CIDR: "0.0.0.0/0"}, "", ""},
		"egress":                    {rule{Direction: simcloud.Egress, CIDR: "0.0.0.0/0"}, "", ""},
		"a client":                  {rule{CIDR: "192.0.2.0/24"}, "client udp", "client udp"},
		"the network":               {rule{CIDR: "10.0.0.0/16"}, "member check", "member"},
		"more than the network":     {rule{CIDR: "10.0.0.0/8"}, "member check", "member"},
		"the subnet":                {rule{CIDR: "10.0.1.0/24"}, "member check", "member"},
		"a part of the subnet":      {rule{CIDR: "10.0.1.0/25"}, "member", "member"},
		"another network":           {rule{CIDR: "10.2.0.0/16"}, "", ""},
		"the load balancer":         {rule{CIDR: "10.0.2.7/32"}, "check", ""},
		"its public address":        {rule{CIDR: "127.77.0.1/32"}, "", ""},
		"group of the balancer":     {rule{Group: "sg-lb"}, "client member v6 udp check", ""},
		"group of members":          {rule{Group: "sg-members"}, "", "member"},
		"group with one port":       {rule{Group: "sg-lb", Protocol: simcloud.RuleTCP, FromPort: 80, ToPort: 80}, "client member v6 check", ""},
		"group that nothing has":    {rule{Group: "sg-gone"}, "", ""},
		"group of the rule, shared": {rule{Group: "sg-tested"}, "client member v6 udp check", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := desired(guardedView(c.rule))
			if got := letIn(all[0].Targets[0].Ingress); got != c.target {
				t.Errorf("to the target: %q, want %q", got, c.target)
			}
			if got := letIn(all[0].Listeners[0].Ingress); got != c.client {
				t.Errorf("to the load balancer: %q, want %q", got, c.client)
			}
			if got := letIn(all[0].Targets[1].Ingress); got != "client member v6 udp check" {
				t.Errorf("to a target without groups: %q, want everything", got)
			}
		})
	}
}

// TestIngressOfEachTarget: what is let in to a target is up to all of its groups.
func TestIngressOfEachTarget(t *testing.T) {
	t.Parallel()
	view := guardedView(simcloud.SecurityGroupRuleSpec{CIDR: "0.0.0.0/0"})
	instance := view.Instances["i-2"]
	instance.SecurityGroups = view.Instances["i-1"].SecurityGroups[:1] // the first is the same
	view.Instances["i-2"] = instance
	targets := desired(view)[0].Targets
	if one, other := letIn(targets[0].Ingress), letIn(targets[1].Ingress); one != "client member udp check" || other != "" {
		t.Errorf("to the targets: %q and %q", one, other)
	}
}

// TestIngressWithoutRules: groups without rules let nothing in, no groups everything.
func TestIngressWithoutRules(t *testing.T) {
	t.Parallel()
	view := guardedView()
	got := desired(view)[0]
	if letIn(got.Targets[0].Ingress) != "" || letIn(got.Listeners[0].Ingress) != "" {
		t.Errorf("groups without rules let in: %+v", got)
	}
	lb := view.LoadBalancers["lb-1"]
	lb.SecurityGroups = nil
	view.LoadBalancers["lb-1"] = lb
	if got := desired(view)[0].Listeners[0].Ingress; got != nil {
		t.Errorf("no groups let in %+v, want all", got)
	}
}
