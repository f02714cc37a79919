package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type lbResult = simcloud.Result[simcloud.LoadBalancer]

func testLoadBalancers(s suite) {
	s.run("GetLoadBalancer/NotFound", func(f *fixture) {
		_, err := f.GetLoadBalancer(f.ctx, "lb-1")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "load_balancer/lb-1")
	})
	s.run("CreateLoadBalancer/Defaults", func(f *fixture) {
		r := must[lbResult](f)(f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{Name: "lb"}))
		f.done(r.Operation, "CreateLoadBalancer", simcloud.KindLoadBalancer, "lb-1")
		f.equal("as read", f.getLoadBalancer("lb-1"), r.Resource)
		want := simcloud.LoadBalancer{
			Meta: r.Resource.Meta, State: simcloud.LoadBalancerActive, Scheme: simcloud.SchemePublic, Network: "net-1",
			VIPs: []simcloud.VIP{}, Listeners: []simcloud.Listener{}, Targets: []simcloud.Target{},
			Algorithm: simcloud.RoundRobin,
		}
		f.equal("load balancer", r.Resource, want)
	})
	s.run("CreateLoadBalancer/Full", func(f *fixture) {
		a, b := f.instance("a"), f.instance("b")
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, b.ID))
		check := &simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Port: 10256, Path: "/healthz"}
		spec := simcloud.LoadBalancerSpec{
			Name: "lb", Labels: map[string]string{"k": "v"}, Class: "gold", Algorithm: simcloud.LeastConnections,
			Affinity: simcloud.Affinity{ClientIP: true, TimeoutSeconds: 60},
			Listeners: []simcloud.ListenerSpec{
				{Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{
					TargetPort: 30080, HealthCheck: check, AllowedCIDRs: []string{"10.0.0.0/8"}, Labels: map[string]string{"l": "m"},
				}},
				{Protocol: simcloud.ProtocolUDP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 30081}},
			},
			Targets: []simcloud.TargetSpec{{Instance: a.ID, Weight: 7, Labels: map[string]string{"t": "u"}}, {Instance: b.ID}},
		}
		got := f.loadBalancer(spec)
		f.equal("as read", f.getLoadBalancer(got.ID), got)
		f.equal("listeners", []simcloud.ID{got.Listeners[0].ID, got.Listeners[1].ID}, []simcloud.ID{"tcp-80", "udp-80"})
		full := *check
		full.IntervalSeconds, full.TimeoutSeconds, full.Threshold = 5, 3, 3
		f.equal("health check with its defaults", *got.Listeners[0].HealthCheck, full)
		f.equal("targets", got.Targets, []simcloud.Target{
			{Instance: a.ID, Weight: 7, Health: simcloud.TargetHealthy, Labels: map[string]string{"t": "u"}},
			{Instance: b.ID, Weight: 1, Health: simcloud.TargetUnhealthy},
		})
		f.equal("the rest", []any{got.Class, got.Algorithm, got.Affinity}, []any{spec.Class, spec.Algorithm, spec.Affinity})
	})
	s.run("CreateLoadBalancer/Internal", func(f *fixture) {
		network := f.network("10.8.0.0/24", "fd08::/64")
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal, Network: network.ID})
		f.equal("VIPs", len(lb.VIPs), 2)
		for i, cidr := range network.CIDRs {
			f.inRange(simcloud.Address{Scope: simcloud.ScopePrivate, Address: lb.VIPs[i].Address}, simcloud.ScopePrivate, cidr)
			f.equal("floating IP", lb.VIPs[i].FloatingIP, simcloud.ID(""))
		}
	})
}

func testLoadBalancerRefusals(s suite) {
	s.run("CreateLoadBalancer/Invalid", func(f *fixture) {
		_, err := f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{
			Name: "lb", Scheme: "secret", Listeners: []simcloud.ListenerSpec{tcp(80, 0), tcp(80, 1)},
		})
		f.wantField(err, "scheme")
		f.wantField(err, "listeners[0].targetPort")
		f.wantField(err, "listeners[1].port")
	})
	s.run("CreateLoadBalancer/NetworkUnknown", func(f *fixture) {
		_, err := f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{Name: "lb", Network: "net-9"})
		f.wantField(err, "network")
	})
	s.run("CreateLoadBalancer/TargetUnknown", func(f *fixture) {
		spec := simcloud.LoadBalancerSpec{Name: "lb", Targets: []simcloud.TargetSpec{{Instance: f.instance("a").ID}, {Instance: "i-9"}}}
		_, err := f.CreateLoadBalancer(f.ctx, spec)
		f.wantField(err, "targets[1].instance")
	})
}

func testLoadBalancerChanges(s suite) {
	s.run("UpdateLoadBalancer/OK", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Labels: map[string]string{"k": "v"}})
		update := simcloud.LoadBalancerUpdate{
			Name: ptr("b"), Labels: &map[string]string{"x": "y"}, Algorithm: ptr(simcloud.LeastConnections),
			Affinity: &simcloud.Affinity{ClientIP: true},
		}
		r := must[lbResult](f)(f.UpdateLoadBalancer(f.ctx, lb.ID, update))
		f.done(r.Operation, "UpdateLoadBalancer", simcloud.KindLoadBalancer, lb.ID)
		f.equal("as read", f.getLoadBalancer(lb.ID), r.Resource)
		want := lb
		want.Meta, want.Algorithm, want.Affinity = r.Resource.Meta, *update.Algorithm, *update.Affinity
		f.equal("load balancer", r.Resource, want)
		f.equal("name and labels", []any{want.Name, want.Labels}, []any{"b", map[string]string{"x": "y"}})
	})
	s.run("UpdateLoadBalancer/Invalid", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		_, err := f.UpdateLoadBalancer(f.ctx, lb.ID, simcloud.LoadBalancerUpdate{Algorithm: ptr(simcloud.Algorithm("dice"))})
		f.wantField(err, "algorithm")
	})
	s.run("DeleteLoadBalancer/OK", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		fip := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toLoadBalancer(lb.ID)})
		op := must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.ctx, lb.ID))
		f.done(op, "DeleteLoadBalancer", simcloud.KindLoadBalancer, lb.ID)
		_, err := f.GetLoadBalancer(f.ctx, lb.ID)
		f.want(err, simcloud.NotFound)
		f.equal("the floating IP stays", f.getFloatingIP(fip.ID).State, simcloud.FloatingIPAvailable)
	})
	s.run("FailoverLoadBalancer/OK", func(f *fixture) {
		before := f.getLoadBalancer(aLoadBalancer(f))
		r := must[lbResult](f)(f.FailoverLoadBalancer(f.ctx, before.ID))
		f.done(r.Operation, "FailoverLoadBalancer", simcloud.KindLoadBalancer, before.ID)
		f.equal("as read", f.getLoadBalancer(before.ID), r.Resource)
		before.Version, before.Updated = r.Resource.Version, r.Resource.Updated
		f.equal("load balancer", r.Resource, before)
	})
	s.runSlow("FailoverLoadBalancer/Slow", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		f.advance(opDuration)
		r := must[lbResult](f)(f.FailoverLoadBalancer(f.ctx, lb.ID))
		f.equal("state at first", r.Resource.State, simcloud.LoadBalancerUpdating)
		f.advance(opDuration)
		f.equal("state in the end", f.getLoadBalancer(lb.ID).State, simcloud.LoadBalancerActive)
	})
	s.runSlow("CreateLoadBalancer/Slow", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		f.equal("state at first", lb.State, simcloud.LoadBalancerProvisioning)
		f.advance(opDuration)
		f.equal("state in the end", f.getLoadBalancer(lb.ID).State, simcloud.LoadBalancerActive)
		r := must[lbResult](f)(f.CreateListener(f.ctx, lb.ID, tcp(80, 81)))
		f.equal("state of a change", r.Resource.State, simcloud.LoadBalancerUpdating)
		f.advance(opDuration)
		f.equal("state after the change", f.getLoadBalancer(lb.ID).State, simcloud.LoadBalancerActive)
		must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.ctx, lb.ID))
		f.equal("state of the deletion", f.getLoadBalancer(lb.ID).State, simcloud.LoadBalancerDeleting)
		f.advance(opDuration)
		_, err := f.GetLoadBalancer(f.ctx, lb.ID)
		f.want(err, simcloud.NotFound)
	})
}
