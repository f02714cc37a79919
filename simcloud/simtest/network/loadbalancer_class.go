package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// offer gives the cloud two classes of load balancers.
func offer(f *suite.Fixture) {
	f.Helper()
	classes := []simcloud.LoadBalancerClass{{Name: "lb11", MaxTargets: 1, MaxListeners: 1}, {Name: "lb21", MaxTargets: 2, MaxListeners: 2}}
	suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{LoadBalancerClasses: &classes}))
}

// limitsOf returns the class and the limits of a load balancer.
func limitsOf(lb simcloud.LoadBalancer) []any { return []any{lb.Class, lb.MaxTargets, lb.MaxListeners} }

func testLoadBalancerClasses(s suite.Runner) {
	s.Test("CreateLoadBalancer/Class", func(f *suite.Fixture) {
		before := f.LoadBalancer(simcloud.LoadBalancerSpec{Class: "gold"})
		offer(f)
		limitTargets(f, 9) // of classes without limit of their own
		f.Equal("by default", limitsOf(f.LoadBalancer(simcloud.LoadBalancerSpec{})), []any{"lb11", 1, 1})
		f.Equal("of a class", limitsOf(f.LoadBalancer(simcloud.LoadBalancerSpec{Class: "lb21"})), []any{"lb21", 2, 2})
		f.Equal("of its own", limitsOf(f.LoadBalancer(simcloud.LoadBalancerSpec{MaxTargets: 7, MaxListeners: 8})), []any{"lb11", 7, 8})
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "lb", Class: "gold"})
		f.WantField(err, "class")
		f.Equal("one of before", limitsOf(f.MustGetLoadBalancer(before.ID)), []any{"gold", 0, 0})
		_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "lb", MaxTargets: -1, MaxListeners: -1})
		f.WantField(err, "maxTargets")
		f.WantField(err, "maxListeners")
	})
	s.Test("CreateListener/Full", func(f *suite.Fixture) {
		offer(f)
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1)}})
		_, err := f.CreateListener(f.Ctx, lb.ID, suite.TCP(81, 1))
		f.Want(err, simcloud.Capacity)
		_, err = f.CreateListener(f.Ctx, lb.ID, suite.TCP(80, 1))
		f.Want(err, simcloud.AlreadyExists)
		suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, lb.ID, "tcp-80", simcloud.ListenerConfig{TargetPort: 2}))
		_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "b", Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1), suite.TCP(81, 1)}})
		f.Want(err, simcloud.Capacity)
	})
	s.Test("UpdateLoadBalancer/Class", func(f *suite.Fixture) {
		offer(f)
		a, b := f.Instance("a"), f.Instance("b")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		change := func(update simcloud.LoadBalancerUpdate) (lbResult, error) {
			return f.UpdateLoadBalancer(f.Ctx, lb.ID, update)
		}
		got := suite.Must[lbResult](f)(change(simcloud.LoadBalancerUpdate{Class: suite.Ptr("lb21")})).Resource
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), got)
		f.Equal("changed", limitsOf(got), []any{"lb21", 2, 2})
		suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID}))
		_, err := change(simcloud.LoadBalancerUpdate{Class: suite.Ptr("lb11")})
		f.Want(err, simcloud.Conflict)
		_, err = change(simcloud.LoadBalancerUpdate{Class: suite.Ptr("lb31")})
		f.WantField(err, "class")
		_, err = change(simcloud.LoadBalancerUpdate{MaxTargets: suite.Ptr(1)})
		f.Want(err, simcloud.Conflict)
		_, err = change(simcloud.LoadBalancerUpdate{MaxListeners: suite.Ptr(-1)})
		f.WantField(err, "maxListeners")
		f.Equal("refused", limitsOf(f.MustGetLoadBalancer(lb.ID)), []any{"lb21", 2, 2})
		f.Equal("one limit", limitsOf(suite.Must[lbResult](f)(change(simcloud.LoadBalancerUpdate{MaxTargets: suite.Ptr(5)})).Resource), []any{"lb21", 5, 2})
		f.Equal("the other", limitsOf(suite.Must[lbResult](f)(change(simcloud.LoadBalancerUpdate{MaxListeners: suite.Ptr(6)})).Resource), []any{"lb21", 5, 6})
		f.Equal("back", limitsOf(suite.Must[lbResult](f)(change(simcloud.LoadBalancerUpdate{MaxTargets: suite.Ptr(0)})).Resource), []any{"lb21", 2, 6})
		f.Equal("with its own", limitsOf(suite.Must[lbResult](f)(change(simcloud.LoadBalancerUpdate{
			Class: suite.Ptr("lb11"), MaxTargets: suite.Ptr(3),
		})).Resource), []any{"lb11", 3, 1})
	})
	s.Test("UpdateLoadBalancer/ClassListeners", func(f *suite.Fixture) {
		offer(f)
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Class: "lb21", Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1), suite.TCP(81, 1)}})
		_, err := f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{Class: suite.Ptr("lb11")})
		f.Want(err, simcloud.Conflict)
		f.Equal("load balancer", f.MustGetLoadBalancer(lb.ID), lb)
	})
	s.Test("UpdateLoadBalancer/ClassWithoutClasses", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Class: "gold", MaxTargets: 4})
		got := suite.Must[lbResult](f)(f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{Class: suite.Ptr("silver")})).Resource
		f.Equal("changed", limitsOf(got), []any{"silver", 0, 0})
		none := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		offer(f)
		got = suite.Must[lbResult](f)(f.UpdateLoadBalancer(f.Ctx, none.ID, simcloud.LoadBalancerUpdate{MaxTargets: suite.Ptr(3)})).Resource
		f.Equal("of no class", limitsOf(got), []any{"", 3, 0})
	})
	s.Test("Seed/LoadBalancerClass", func(f *suite.Fixture) {
		offer(f)
		want := simcloud.Topology{LoadBalancers: &[]simcloud.LoadBalancerSpec{{Name: "lb", MaxTargets: 3}}}
		for _, limit := range []int{3, 4} {
			(*want.LoadBalancers)[0].MaxTargets = limit
			suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
			f.Equal("limits", limitsOf(f.MustGetLoadBalancer("lb-1")), []any{"lb11", limit, 1})
			f.Equal("unchanged", suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want)).Unchanged, 1)
		}
	})
}
