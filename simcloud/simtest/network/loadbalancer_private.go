package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// setPublic turns the public addresses of a load balancer off or on.
func setPublic(f *suite.Fixture, lb simcloud.ID, disabled bool) (lbResult, error) {
	f.Helper()
	return f.UpdateLoadBalancer(f.Ctx, lb, simcloud.LoadBalancerUpdate{PublicDisabled: &disabled})
}

func testPrivateTraffic(s suite.Runner) {
	s.Test("UpdateLoadBalancer/PublicDisabled", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}})
		_, err := setPublic(f, lb.ID, true)
		f.Want(err, simcloud.Conflict) // no network
		lb = attach(f, lb.ID, simcloud.NetworkAttachment{Network: "net-1"})
		off := suite.Must[lbResult](f)(setPublic(f, lb.ID, true)).Resource
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), off)
		f.Equal("off", []any{off.PublicDisabled, off.VIPs}, []any{true, lb.VIPs})
		f.Equal("answers", []bool{off.Answers(off.VIPs[0]), off.Answers(off.VIPs[1])}, []bool{false, true})
		suite.Must[lbResult](f)(f.DetachLoadBalancerNetwork(f.Ctx, lb.ID, "net-1")) // so that another address can be attached
		on := suite.Must[lbResult](f)(setPublic(f, lb.ID, false)).Resource
		private := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}, PublicDisabled: true})
		_, err = setPublic(f, private.ID, true)
		f.Want(err, "") // as it is
		f.Equal("on", []any{on.PublicDisabled, on.Answers(on.VIPs[0])}, []any{false, true})
	})
	s.Test("UpdateLoadBalancer/PublicDisabledWithPublicTarget", func(f *suite.Fixture) {
		a, b := f.Instance("a"), f.Instance("b")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{
			Networks: []simcloud.NetworkAttachment{{Network: "net-1"}},
			Targets:  []simcloud.TargetSpec{{Instance: a.ID, UsePrivateIP: true}, {Instance: b.ID}},
		})
		_, err := setPublic(f, lb.ID, true)
		f.Want(err, simcloud.Conflict)
		f.Equal("load balancer", f.MustGetLoadBalancer(lb.ID), lb)
		suite.Must[lbResult](f)(f.DeleteTarget(f.Ctx, lb.ID, b.ID))
		suite.Must[lbResult](f)(setPublic(f, lb.ID, true))
		_, err = f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID})
		f.Want(err, simcloud.Conflict)
		suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID, UsePrivateIP: true}))
	})
	s.Test("CreateLoadBalancer/PublicDisabled", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}, PublicDisabled: true}) // a network comes later
		f.Equal("off", lb.PublicDisabled, true)
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "b", Scheme: simcloud.SchemeInternal, PublicDisabled: true})
		f.WantField(err, "publicDisabled")
		internal := f.LoadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal})
		_, err = setPublic(f, internal.ID, true)
		f.Want(err, simcloud.Conflict)
	})
	testPrivateTargets(s)
}

func testPrivateTargets(s suite.Runner) {
	s.Test("CreateTarget/Private", func(f *suite.Fixture) {
		network, _ := inSubnet(f)
		a, lb := f.Instance("a"), f.LoadBalancer(simcloud.LoadBalancerSpec{})
		private := simcloud.TargetSpec{Instance: a.ID, UsePrivateIP: true}
		_, err := f.CreateTarget(f.Ctx, lb.ID, private)
		f.Want(err, simcloud.Conflict) // no network
		attach(f, lb.ID, simcloud.NetworkAttachment{Network: network.ID})
		_, err = f.CreateTarget(f.Ctx, lb.ID, private)
		f.Want(err, simcloud.Conflict) // another network
		attach(f, lb.ID, simcloud.NetworkAttachment{Network: a.Network})
		got := suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, private)).Resource
		f.Equal("targets", got.Targets, []simcloud.Target{{Instance: a.ID, Weight: 1, Health: simcloud.TargetHealthy, UsePrivateIP: true}})
		internal := f.LoadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal, Targets: []simcloud.TargetSpec{private}})
		f.Equal("of an internal one", internal.Targets, got.Targets)
	})
	s.Test("DetachLoadBalancerNetwork/PrivateTargets", func(f *suite.Fixture) {
		network, _ := inSubnet(f)
		a, b, gone := f.Instance("a"), f.Instance("b"), f.Instance("gone")
		other := f.InstanceOf(simcloud.InstanceSpec{Name: "other", Network: network.ID})
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{
			Networks: []simcloud.NetworkAttachment{{Network: a.Network}, {Network: network.ID}},
			Targets: []simcloud.TargetSpec{
				{Instance: a.ID, UsePrivateIP: true}, {Instance: b.ID}, {Instance: other.ID, UsePrivateIP: true}, {Instance: gone.ID, UsePrivateIP: true},
			},
		})
		suite.Drop(f)(f.DeleteInstance(f.Ctx, gone.ID))
		left := func(network simcloud.ID) (ids []simcloud.ID) {
			for _, target := range suite.Must[lbResult](f)(f.DetachLoadBalancerNetwork(f.Ctx, lb.ID, network)).Resource.Targets {
				ids = append(ids, target.Instance)
			}
			return ids
		}
		f.Equal("without the first network", left(a.Network), []simcloud.ID{b.ID, other.ID, gone.ID})
		f.Equal("without any", left(network.ID), []simcloud.ID{b.ID})
	})
	s.Test("Seed/Hostname", func(f *suite.Fixture) {
		want := simcloud.Topology{LoadBalancers: &[]simcloud.LoadBalancerSpec{{Name: "lb", Hostname: "one-{number}.example.com"}}}
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		f.Equal("again", suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want)).Unchanged, 1)
		(*want.LoadBalancers)[0].Hostname = "two-{number}.example.com"
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		f.Equal("another", f.MustGetLoadBalancer("lb-2").Hostname, "two-2.example.com") // a name never changes
	})
	s.Test("Seed/PublicDisabled", func(f *suite.Fixture) {
		want := simcloud.Topology{
			Instances: &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "a"}}},
			LoadBalancers: &[]simcloud.LoadBalancerSpec{{
				Name: "lb", PublicFamilies: []int{4}, Targets: []simcloud.TargetSpec{{Instance: "a"}},
			}},
		}
		lb := &(*want.LoadBalancers)[0]
		for _, private := range []bool{false, true, false} {
			lb.PublicDisabled, lb.Targets[0].UsePrivateIP, lb.Networks = private, private, nil
			if private {
				lb.Networks = []simcloud.NetworkAttachment{{Network: "default"}}
			}
			suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
			got := f.MustGetLoadBalancer("lb-1")
			f.Equal("off", []any{got.PublicDisabled, got.Targets[0].UsePrivateIP, len(got.Networks())},
				[]any{private, private, len(lb.Networks)})
			f.Equal("changes", suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want)).Unchanged, 2)
		}
	})
}
