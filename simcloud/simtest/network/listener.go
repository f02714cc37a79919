package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testListeners(s suite.Runner) {
	s.Test("CreateListener/OK", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		r := suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb.ID, suite.TCP(80, 30080)))
		f.Done(r.Operation, "CreateListener", simcloud.KindLoadBalancer, lb.ID)
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
		f.Equal("listeners", r.Resource.Listeners, []simcloud.Listener{{
			ID: "tcp-80", Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 30080},
		}})
	})
	s.Test("CreateListener/Taken", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1)}})
		_, err := f.CreateListener(f.Ctx, lb.ID, suite.TCP(80, 2))
		f.Want(err, simcloud.AlreadyExists)
		f.Equal("listeners", f.MustGetLoadBalancer(lb.ID).Listeners, lb.Listeners)
	})
	s.Test("CreateListener/Invalid", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		_, err := f.CreateListener(f.Ctx, lb.ID, simcloud.ListenerSpec{Protocol: "icmp", Port: 70000})
		f.WantField(err, "protocol")
		f.WantField(err, "port")
		f.WantField(err, "targetPort")
	})
	s.Test("UpdateListener/OK", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1), suite.TCP(81, 1)}})
		config := simcloud.ListenerConfig{TargetPort: 2, AllowedCIDRs: []string{"10.0.0.0/8"}, ProxyProtocol: true, IdleTimeoutSeconds: 9}
		r := suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, lb.ID, "tcp-80", config))
		f.Done(r.Operation, "UpdateListener", simcloud.KindLoadBalancer, lb.ID)
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
		f.Equal("the configuration", r.Resource.Listeners[0].ListenerConfig, config)
		f.Equal("the other listener", r.Resource.Listeners[1], lb.Listeners[1])
	})
	s.Test("UpdateListener/NotFound", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1)}})
		_, err := f.UpdateListener(f.Ctx, lb.ID, "udp-80", simcloud.ListenerConfig{TargetPort: 2})
		f.Want(err, simcloud.NotFound)
	})
	s.Test("UpdateListener/Invalid", func(f *suite.Fixture) {
		udp := simcloud.ListenerSpec{Protocol: simcloud.ProtocolUDP, Port: 53, ListenerConfig: simcloud.ListenerConfig{TargetPort: 1}}
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{udp}})
		_, err := f.UpdateListener(f.Ctx, lb.ID, "udp-53", simcloud.ListenerConfig{TargetPort: 0})
		f.WantField(err, "targetPort")
		_, err = f.UpdateListener(f.Ctx, lb.ID, "udp-53", simcloud.ListenerConfig{TargetPort: 1, ProxyProtocol: true})
		f.WantField(err, "proxyProtocol")
	})
	s.Test("DeleteListener/OK", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1), suite.TCP(81, 1)}})
		r := suite.Must[lbResult](f)(f.DeleteListener(f.Ctx, lb.ID, "tcp-80"))
		f.Done(r.Operation, "DeleteListener", simcloud.KindLoadBalancer, lb.ID)
		f.Equal("listeners", r.Resource.Listeners, lb.Listeners[1:])
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
	})
	s.Test("DeleteListener/NotFound", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		_, err := f.DeleteListener(f.Ctx, lb.ID, "tcp-80")
		f.Want(err, simcloud.NotFound)
	})
}

func testTargets(s suite.Runner) {
	s.Test("CreateTarget/OK", func(f *suite.Fixture) {
		lb, a := f.LoadBalancer(simcloud.LoadBalancerSpec{}), f.Instance("a")
		r := suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: a.ID}))
		f.Done(r.Operation, "CreateTarget", simcloud.KindLoadBalancer, lb.ID)
		f.Equal("targets", r.Resource.Targets, []simcloud.Target{{Instance: a.ID, Weight: 1, Health: simcloud.TargetHealthy}})
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
	})
	s.Test("CreateTarget/Taken", func(f *suite.Fixture) {
		a := f.Instance("a")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		_, err := f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: a.ID, Weight: 2})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("CreateTarget/Invalid", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		for _, spec := range []simcloud.TargetSpec{{}, {Instance: "i-9"}} {
			_, err := f.CreateTarget(f.Ctx, lb.ID, spec)
			f.WantField(err, "instance")
		}
		_, err := f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: "i-9", Weight: -1})
		f.WantField(err, "weight")
	})
	s.Test("CreateTarget/Full", func(f *suite.Fixture) {
		limitTargets(f, 1)
		a, b := f.Instance("a"), f.Instance("b")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		f.Equal("the most", lb.MaxTargets, 1)
		_, err := f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID})
		f.Want(err, simcloud.Capacity)
		_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{
			Name: "second", Targets: []simcloud.TargetSpec{{Instance: a.ID}, {Instance: b.ID}},
		})
		f.Want(err, simcloud.Capacity)
		limitTargets(f, 0) // is for new ones
		_, err = f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID})
		f.Want(err, simcloud.Capacity)
		suite.Must[lbResult](f)(f.DeleteTarget(f.Ctx, lb.ID, a.ID))
		suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID}))
		f.Equal("load balancers", len(suite.Must[simcloud.State](f)(f.Control().GetState(f.Ctx)).LoadBalancers), 1)
	})
	s.Test("CreateTarget/Health", func(f *suite.Fixture) {
		a := f.Instance("a")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, a.ID))
		f.Equal("health when stopped", f.MustGetLoadBalancer(lb.ID).Targets[0].Health, simcloud.TargetUnhealthy)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.Ctx, a.ID))
		f.Equal("health when started", f.MustGetLoadBalancer(lb.ID).Targets[0].Health, simcloud.TargetHealthy)
	})
	s.Test("DeleteTarget/OK", func(f *suite.Fixture) {
		a, b := f.Instance("a"), f.Instance("b")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}, {Instance: b.ID}}})
		r := suite.Must[lbResult](f)(f.DeleteTarget(f.Ctx, lb.ID, a.ID))
		f.Done(r.Operation, "DeleteTarget", simcloud.KindLoadBalancer, lb.ID)
		f.Equal("targets", r.Resource.Targets, lb.Targets[1:])
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
	})
	s.Test("DeleteTarget/NotFound", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		_, err := f.DeleteTarget(f.Ctx, lb.ID, f.Instance("a").ID)
		f.Want(err, simcloud.NotFound)
	})
}

// limitTargets sets how many targets a new load balancer takes.
func limitTargets(f *suite.Fixture, n int) {
	f.Helper()
	suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{MaxTargets: &n}))
}
