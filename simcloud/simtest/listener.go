package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

func testListeners(s suite) {
	s.run("CreateListener/OK", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		r := must[lbResult](f)(f.CreateListener(f.ctx, lb.ID, tcp(80, 30080)))
		f.done(r.Operation, "CreateListener", simcloud.KindLoadBalancer, lb.ID)
		f.equal("as read", f.getLoadBalancer(lb.ID), r.Resource)
		f.equal("listeners", r.Resource.Listeners, []simcloud.Listener{{
			ID: "tcp-80", Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 30080},
		}})
	})
	s.run("CreateListener/Taken", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{tcp(80, 1)}})
		_, err := f.CreateListener(f.ctx, lb.ID, tcp(80, 2))
		f.want(err, simcloud.AlreadyExists)
		f.equal("listeners", f.getLoadBalancer(lb.ID).Listeners, lb.Listeners)
	})
	s.run("CreateListener/Invalid", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		_, err := f.CreateListener(f.ctx, lb.ID, simcloud.ListenerSpec{Protocol: "sctp", Port: 70000})
		f.wantField(err, "protocol")
		f.wantField(err, "port")
		f.wantField(err, "targetPort")
	})
	s.run("UpdateListener/OK", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{tcp(80, 1), tcp(81, 1)}})
		config := simcloud.ListenerConfig{TargetPort: 2, AllowedCIDRs: []string{"10.0.0.0/8"}, ProxyProtocol: true, IdleTimeoutSeconds: 9}
		r := must[lbResult](f)(f.UpdateListener(f.ctx, lb.ID, "tcp-80", config))
		f.done(r.Operation, "UpdateListener", simcloud.KindLoadBalancer, lb.ID)
		f.equal("as read", f.getLoadBalancer(lb.ID), r.Resource)
		f.equal("the configuration", r.Resource.Listeners[0].ListenerConfig, config)
		f.equal("the other listener", r.Resource.Listeners[1], lb.Listeners[1])
	})
	s.run("UpdateListener/NotFound", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{tcp(80, 1)}})
		_, err := f.UpdateListener(f.ctx, lb.ID, "udp-80", simcloud.ListenerConfig{TargetPort: 2})
		f.want(err, simcloud.NotFound)
	})
	s.run("UpdateListener/Invalid", func(f *fixture) {
		udp := simcloud.ListenerSpec{Protocol: simcloud.ProtocolUDP, Port: 53, ListenerConfig: simcloud.ListenerConfig{TargetPort: 1}}
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{udp}})
		_, err := f.UpdateListener(f.ctx, lb.ID, "udp-53", simcloud.ListenerConfig{TargetPort: 0})
		f.wantField(err, "targetPort")
		_, err = f.UpdateListener(f.ctx, lb.ID, "udp-53", simcloud.ListenerConfig{TargetPort: 1, ProxyProtocol: true})
		f.wantField(err, "proxyProtocol")
	})
	s.run("DeleteListener/OK", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{tcp(80, 1), tcp(81, 1)}})
		r := must[lbResult](f)(f.DeleteListener(f.ctx, lb.ID, "tcp-80"))
		f.done(r.Operation, "DeleteListener", simcloud.KindLoadBalancer, lb.ID)
		f.equal("listeners", r.Resource.Listeners, lb.Listeners[1:])
		f.equal("as read", f.getLoadBalancer(lb.ID), r.Resource)
	})
	s.run("DeleteListener/NotFound", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		_, err := f.DeleteListener(f.ctx, lb.ID, "tcp-80")
		f.want(err, simcloud.NotFound)
	})
}

func testTargets(s suite) {
	s.run("CreateTarget/OK", func(f *fixture) {
		lb, a := f.loadBalancer(simcloud.LoadBalancerSpec{}), f.instance("a")
		r := must[lbResult](f)(f.CreateTarget(f.ctx, lb.ID, simcloud.TargetSpec{Instance: a.ID}))
		f.done(r.Operation, "CreateTarget", simcloud.KindLoadBalancer, lb.ID)
		f.equal("targets", r.Resource.Targets, []simcloud.Target{{Instance: a.ID, Weight: 1, Health: simcloud.TargetHealthy}})
		f.equal("as read", f.getLoadBalancer(lb.ID), r.Resource)
	})
	s.run("CreateTarget/Taken", func(f *fixture) {
		a := f.instance("a")
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		_, err := f.CreateTarget(f.ctx, lb.ID, simcloud.TargetSpec{Instance: a.ID, Weight: 2})
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("CreateTarget/Invalid", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		for _, spec := range []simcloud.TargetSpec{{}, {Instance: "i-9"}} {
			_, err := f.CreateTarget(f.ctx, lb.ID, spec)
			f.wantField(err, "instance")
		}
		_, err := f.CreateTarget(f.ctx, lb.ID, simcloud.TargetSpec{Instance: "i-9", Weight: -1})
		f.wantField(err, "weight")
	})
	s.run("CreateTarget/Full", func(f *fixture) {
		limitTargets(f, 1)
		a, b := f.instance("a"), f.instance("b")
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		f.equal("the most", lb.MaxTargets, 1)
		_, err := f.CreateTarget(f.ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID})
		f.want(err, simcloud.Capacity)
		_, err = f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{
			Name: "second", Targets: []simcloud.TargetSpec{{Instance: a.ID}, {Instance: b.ID}},
		})
		f.want(err, simcloud.Capacity)
		limitTargets(f, 0) // is for new ones
		_, err = f.CreateTarget(f.ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID})
		f.want(err, simcloud.Capacity)
		must[lbResult](f)(f.DeleteTarget(f.ctx, lb.ID, a.ID))
		must[lbResult](f)(f.CreateTarget(f.ctx, lb.ID, simcloud.TargetSpec{Instance: b.ID}))
		f.equal("load balancers", len(must[simcloud.State](f)(f.control().GetState(f.ctx)).LoadBalancers), 1)
	})
	s.run("CreateTarget/Health", func(f *fixture) {
		a := f.instance("a")
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, a.ID))
		f.equal("health when stopped", f.getLoadBalancer(lb.ID).Targets[0].Health, simcloud.TargetUnhealthy)
		must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.ctx, a.ID))
		f.equal("health when started", f.getLoadBalancer(lb.ID).Targets[0].Health, simcloud.TargetHealthy)
	})
	s.run("DeleteTarget/OK", func(f *fixture) {
		a, b := f.instance("a"), f.instance("b")
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}, {Instance: b.ID}}})
		r := must[lbResult](f)(f.DeleteTarget(f.ctx, lb.ID, a.ID))
		f.done(r.Operation, "DeleteTarget", simcloud.KindLoadBalancer, lb.ID)
		f.equal("targets", r.Resource.Targets, lb.Targets[1:])
		f.equal("as read", f.getLoadBalancer(lb.ID), r.Resource)
	})
	s.run("DeleteTarget/NotFound", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		_, err := f.DeleteTarget(f.ctx, lb.ID, f.instance("a").ID)
		f.want(err, simcloud.NotFound)
	})
}

// limitTargets sets how many targets a new load balancer takes.
func limitTargets(f *fixture, n int) {
	f.Helper()
	must[simcloud.Config](f)(f.control().UpdateConfig(f.ctx, simcloud.ConfigUpdate{MaxTargets: &n}))
}
