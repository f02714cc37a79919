package sim_test

import (
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestLoadBalancersOfACloud: what a cloud has listens, and what it no longer has does not.
func TestLoadBalancersOfACloud(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one, two := s.machine("one"), s.machine("two")
	lb := s.loadBalancer("web", one, two)
	s.wantNoAnswer("without an address", netip.MustParseAddr("127.0.0.1"))
	vip := s.floatingIP("first", lb)
	s.wantAnswers("with one", vip, "one", "two")

	s.must(s.c.DeleteTarget(s.Context(), lb, two.id))
	s.wantAnswers("with one target less", vip, "one")
	s.must(s.c.StopInstance(s.Context(), one.id))
	s.wantNoAnswer("with its machine stopped", vip)
	s.must(s.c.StartInstance(s.Context(), one.id))
	s.wantAnswers("with its machine started", vip, "one")

	s.must(s.c.DeleteListener(s.Context(), lb, simcloud.ListenerID(simcloud.ProtocolTCP, s.port)))
	s.wantNoAnswer("without its listener", vip)
	s.must(s.c.CreateListener(s.Context(), lb, s.listener()))
	s.wantAnswers("with its listener again", vip, "one")
	s.must(s.c.DeleteInstance(s.Context(), one.id))
	s.wantNoAnswer("with its machine gone", vip)
	s.must(s.c.CreateTarget(s.Context(), lb, simcloud.TargetSpec{Instance: two.id}))
	s.wantAnswers("with another machine", vip, "two")
	s.must(s.c.DeleteLoadBalancer(s.Context(), lb))
	s.wantNoAnswer("deleted", vip)
}

// TestFloatingIPMoves: an address leads to whom it is attached to.
func TestFloatingIPMoves(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one, two := s.machine("one"), s.machine("two")
	first, second := s.loadBalancer("first", one), s.loadBalancer("second", two)
	vip := s.floatingIP("moving", first)
	s.wantAnswers("at first", vip, "one")
	s.must(s.c.DetachFloatingIP(s.Context(), "fip-1"))
	s.wantNoAnswer("in between", vip)
	s.must(s.c.AttachFloatingIP(s.Context(), "fip-1", simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: second}))
	s.wantAnswers("in the end", vip, "two")
}

// TestZoneDown: the machines of a zone that is down get nothing new.
func TestZoneDown(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one, two := s.machine("one"), s.machine("two")
	lb := s.loadBalancer("web", one, two)
	vip := s.floatingIP("web", lb)
	s.wantAnswers("at first", vip, "one", "two")
	s.must(s.c.SetZoneState(s.Context(), one.zone, simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	s.wantAnswers("with a zone down", vip, "two")
	s.must(s.c.SetZoneState(s.Context(), one.zone, simcloud.ZoneStateSpec{State: simcloud.ZoneAvailable}))
	s.wantAnswers("with all zones up", vip, "one", "two")
}

// TestHealth: checks decide, and the cloud says what they found.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one, two := s.machine("one"), s.machine("two")
	lb := s.loadBalancer("web", one, two)
	vip := s.floatingIP("web", lb)
	s.check(lb)
	s.wantAnswers("all well", vip, "one", "two")
	s.wantHealth("all well", lb, simcloud.TargetHealthy, simcloud.TargetHealthy)
	one.sick.Store(true)
	s.wantHealth("one is sick", lb, simcloud.TargetUnhealthy, simcloud.TargetHealthy)
	s.wantAnswers("one is sick", vip, "two")
	s.must(s.c.StopInstance(s.Context(), two.id))
	s.wantHealth("the other is stopped", lb, simcloud.TargetUnhealthy, simcloud.TargetUnhealthy)
	s.wantNoAnswer("both are out", vip)
	one.sick.Store(false)
	s.must(s.c.StartInstance(s.Context(), two.id))
	s.wantHealth("well again", lb, simcloud.TargetHealthy, simcloud.TargetHealthy)
	s.wantAnswers("well again", vip, "one", "two")
}

// TestSecurityGroups: what the rules of the groups of a load balancer and of its target let in is answered, and
// the health check of a target that they keep out fails.
func TestSecurityGroups(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one, two := s.machine("one"), s.machine("two")
	lb := s.loadBalancer("web", one, two)
	vip := s.floatingIP("web", lb)
	s.check(lb)
	front, back := s.group("front"), s.group("back")
	s.must(s.c.UpdateLoadBalancer(s.Context(), lb, simcloud.LoadBalancerUpdate{SecurityGroups: &[]simcloud.ID{front}}))
	s.wantNoAnswer("a group without rules", vip)
	s.wantHealth("which says nothing of checks", lb, simcloud.TargetHealthy, simcloud.TargetHealthy)
	port := simcloud.SecurityGroupRuleSpec{Protocol: simcloud.RuleTCP, FromPort: s.port, ToPort: s.port}
	port.CIDR = "127.0.0.0/8"
	rule := s.rule(front, port)
	s.wantAnswers("a rule for the clients", vip, "one", "two")

	for _, m := range []*machine{one, two} {
		s.must(s.c.UpdateInstance(s.Context(), m.id, simcloud.InstanceUpdate{SecurityGroups: &[]simcloud.ID{back}}))
	}
	s.wantHealth("machines with a group without rules", lb, simcloud.TargetUnhealthy, simcloud.TargetUnhealthy)
	s.wantNoAnswer("machines with a group without rules", vip)
	port.CIDR, port.Group = "", front
	s.rule(back, port)
	s.wantHealth("a rule for the load balancer", lb, simcloud.TargetHealthy, simcloud.TargetHealthy)
	s.wantAnswers("a rule for the load balancer", vip, "one", "two")

	s.must(s.c.UpdateInstance(s.Context(), two.id, simcloud.InstanceUpdate{SecurityGroups: &[]simcloud.ID{}}))
	s.must(s.c.UpdateLoadBalancer(s.Context(), lb, simcloud.LoadBalancerUpdate{SecurityGroups: &[]simcloud.ID{}}))
	s.wantHealth("a load balancer without the group", lb, simcloud.TargetUnhealthy, simcloud.TargetHealthy)
	s.wantAnswers("a load balancer without the group", vip, "two")
	s.must(s.c.UpdateLoadBalancer(s.Context(), lb, simcloud.LoadBalancerUpdate{SecurityGroups: &[]simcloud.ID{front}}))
	s.wantAnswers("with the group again", vip, "one", "two")
	s.must(s.c.RemoveSecurityGroupRules(s.Context(), front, simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{rule}}))
	s.wantNoAnswer("without the rule for clients", vip)
}

// TestTargetGroups: a listener that names a group forwards to its targets, which the checks of the group
// ask, and goes to another group at once.
func TestTargetGroups(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one, two, three := s.machine("one"), s.machine("two"), s.machine("three")
	lb := s.loadBalancer("web", three)
	vip := s.floatingIP("web", lb)
	s.wantAnswers("without a group", vip, "three")
	group, empty := s.targetGroup("g", one, two), s.targetGroup("empty")
	listener := simcloud.ListenerID(simcloud.ProtocolTCP, s.port)
	to := func(group simcloud.ID) {
		s.must(s.c.UpdateListener(s.Context(), lb, listener, simcloud.ListenerConfig{TargetGroup: group}))
	}
	to(group)
	s.wantAnswers("with a group", vip, "one", "two")
	one.sick.Store(true)
	s.wantGroupHealth("one is sick", group, simcloud.TargetUnhealthy, simcloud.TargetHealthy)
	s.wantAnswers("one is sick", vip, "two")
	one.sick.Store(false)
	s.wantGroupHealth("well again", group, simcloud.TargetHealthy, simcloud.TargetHealthy)
	s.wantAnswers("well again", vip, "one", "two")
	gone := simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: one.id}}}
	s.must(s.c.RemoveGroupTargets(s.Context(), group, gone))
	s.wantAnswers("with one target less", vip, "two")
	to(empty)
	s.wantNoAnswer("with a group without targets", vip)
	s.must(s.c.AddGroupTargets(s.Context(), empty, gone))
	s.wantAnswers("with a target", vip, "one")
	s.must(s.c.StopInstance(s.Context(), one.id))
	s.wantNoAnswer("with its machine stopped", vip)
	to(group)
	s.wantAnswers("with the first group again", vip, "two")
}

// TestWrongReport: the data plane corrects a wrong report of another client.
func TestWrongReport(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one := s.machine("one")
	lb := s.loadBalancer("web", one)
	if err := s.c.ReportTargetHealth(s.Context(), lb, one.id, simcloud.TargetUnhealthy); err != nil {
		t.Fatal(err)
	}
	s.wantHealth("it has no check, so that the report is wrong", lb, simcloud.TargetHealthy)
}

// TestStates: only a load balancer that works forwards.
func TestStates(t *testing.T) {
	t.Parallel()
	s := openSite(t, func(cfg *sim.Config) {
		cfg.Clock = simcloud.ClockSpec{Mode: simcloud.ClockManual}
		cfg.Progression = simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(1e9)}
	})
	one := s.machine("one")
	s.advance()
	lb, vip := s.internal("web", one)
	s.wantNoAnswer("while it is made", vip)
	s.advance()
	s.wantAnswers("once it is there", vip, "one")
	s.must(s.c.FailoverLoadBalancer(s.Context(), lb))
	s.wantAnswers("while it is changed", vip, "one")
	s.advance()

	rule := fault.Rule{Match: fault.Match{Operation: "UpdateLoadBalancer"}, Effect: fault.Effect{State: &fault.State{To: "error"}}}
	s.must(s.c.AddFault(s.Context(), rule))
	name := "broken"
	s.must(s.c.UpdateLoadBalancer(s.Context(), lb, simcloud.LoadBalancerUpdate{Name: &name}))
	s.advance()
	s.wantNoAnswer("in error", vip)
	s.must(s.c.FailoverLoadBalancer(s.Context(), lb))
	s.advance()
	s.wantAnswers("failed over", vip, "one")
	s.must(s.c.DeleteLoadBalancer(s.Context(), lb))
	s.wantNoAnswer("while it is deleted", vip)
}

// TestOtherProjects: the data plane serves all projects.
func TestOtherProjects(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	made, err := s.c.CreateProject(s.Context(), simcloud.ProjectSpec{Name: "team"})
	s.must(made, err)
	token, err := s.c.CreateToken(s.Context(), simcloud.TokenSpec{Name: "t", Project: "team", Role: simcloud.RoleAdmin})
	s.must(token, err)
	s.c = s.dial(token.Resource.Secret)
	net := s.must(s.c.CreateNetwork(s.Context(), simcloud.NetworkSpec{Name: "n", CIDRs: []string{siteNetwork}})).(simcloud.Result[simcloud.Network])
	s.network = net.Resource.ID
	vip := s.floatingIP("web", s.loadBalancer("web", s.machine("one")))
	s.wantAnswers("in another project", vip, "one")
}

// TestResetAndRestart: a reset ends everything, a restart nothing but the connections.
func TestResetAndRestart(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one := s.machine("one")
	vip := s.floatingIP("web", s.loadBalancer("web", one))
	s.wantAnswers("at first", vip, "one")
	s.reopen()
	if text, err := s.get(vip); err != nil || text != "one" {
		t.Errorf("right after a restart: %q, %v", text, err)
	}
	if err := s.c.Reset(s.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantNoAnswer("after a reset", vip)
	one.end() // the next one has its address
	again := s.floatingIP("web", s.loadBalancer("web", s.machine("two")))
	s.wantAnswers("recreated", again, "two")
}

// TestSnapshotOfTheDataPlane: what a snapshot has listens once it is loaded. How
// its targets were then does not count: it is found again.
func TestSnapshotOfTheDataPlane(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one, two := s.machine("one"), s.machine("two")
	lb := s.loadBalancer("web", one, two)
	vip := s.floatingIP("web", lb)
	one.sick.Store(true)
	s.check(lb)
	s.wantHealth("one is sick", lb, simcloud.TargetUnhealthy, simcloud.TargetHealthy)
	s.must(s.c.SaveSnapshot(s.Context(), simcloud.SnapshotSpec{Name: "sick"}))
	s.must(s.c.DeleteLoadBalancer(s.Context(), lb))
	s.wantNoAnswer("deleted", vip)
	one.sick.Store(false)
	two.sick.Store(true)
	s.must(s.c.LoadSnapshot(s.Context(), "sick"))
	s.wantHealth("loaded", lb, simcloud.TargetHealthy, simcloud.TargetUnhealthy)
	s.wantAnswers("loaded", vip, "one")
}

// TestWhatCannotListen: the cloud says why, and it listens once it can.
func TestWhatCannotListen(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	one := s.machine("one")
	away := s.must(s.c.CreateNetwork(s.Context(), simcloud.NetworkSpec{Name: "away", CIDRs: []string{"198.51.100.0/24"}})).(simcloud.Result[simcloud.Network])
	foreign := s.must(s.c.CreateLoadBalancer(s.Context(), simcloud.LoadBalancerSpec{
		Name: "foreign", Scheme: simcloud.SchemeInternal, Network: away.Resource.ID, Listeners: []simcloud.ListenerSpec{s.listener()},
	})).(simcloud.Result[simcloud.LoadBalancer]).Resource.ID
	s.wantProblem(foreign, "assign requested address")

	vip := s.floatingIP("web", "")
	other, err := net.Listen("tcp", netip.AddrPortFrom(vip, uint16(s.port)).String())
	if err != nil {
		t.Fatal(err)
	}
	lb := s.loadBalancer("web", one)
	s.must(s.c.AttachFloatingIP(s.Context(), "fip-1", simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb}))
	s.wantProblem(lb, "in use")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	s.wantAnswers("once the port is free", vip, "one")
	s.wantProblem(lb, "")
}

// TestMetricsOfTheDataPlane are among the cloud's own.
func TestMetricsOfTheDataPlane(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	vip := s.floatingIP("web", s.loadBalancer("web", s.machine("one")))
	s.wantAnswers("at first", vip, "one")
	name := fmt.Sprintf(`simcloud_dataplane_listening{address="%s",load_balancer="lb-1",port="%d",protocol="tcp"}`, vip, s.port)
	if got := scrape(t, s.cloud)[name]; got != 1 {
		t.Errorf("%s is %v", name, got)
	}
}
