package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type lbResult = simcloud.Result[simcloud.LoadBalancer]

func testLoadBalancers(s suite.Runner) {
	s.Test("GetLoadBalancer/NotFound", func(f *suite.Fixture) {
		_, err := f.GetLoadBalancer(f.Ctx, "lb-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "load_balancer/lb-1")
	})
	s.Test("CreateLoadBalancer/Defaults", func(f *suite.Fixture) {
		r := suite.Must[lbResult](f)(f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "lb"}))
		f.Done(r.Operation, "CreateLoadBalancer", simcloud.KindLoadBalancer, "lb-1")
		f.Equal("as read", f.MustGetLoadBalancer("lb-1"), r.Resource)
		want := simcloud.LoadBalancer{
			Meta: r.Resource.Meta, State: simcloud.LoadBalancerActive, Scheme: simcloud.SchemePublic, Network: "net-1",
			VIPs: []simcloud.VIP{}, Listeners: []simcloud.Listener{}, Targets: []simcloud.Target{},
			Algorithm: simcloud.RoundRobin,
		}
		f.Equal("load balancer", r.Resource, want)
	})
	s.Test("CreateLoadBalancer/Full", func(f *suite.Fixture) {
		a, b := f.Instance("a"), f.Instance("b")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, b.ID))
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
		got := f.LoadBalancer(spec)
		f.Equal("as read", f.MustGetLoadBalancer(got.ID), got)
		f.Equal("listeners", []simcloud.ID{got.Listeners[0].ID, got.Listeners[1].ID}, []simcloud.ID{"tcp-80", "udp-80"})
		full := *check
		full.IntervalSeconds, full.TimeoutSeconds, full.Threshold = 5, 3, 3
		f.Equal("health check with its defaults", *got.Listeners[0].HealthCheck, full)
		f.Equal("targets", got.Targets, []simcloud.Target{
			{Instance: a.ID, Weight: 7, Health: simcloud.TargetHealthy, Labels: map[string]string{"t": "u"}},
			{Instance: b.ID, Weight: 1, Health: simcloud.TargetUnhealthy},
		})
		f.Equal("the rest", []any{got.Class, got.Algorithm, got.Affinity}, []any{spec.Class, spec.Algorithm, spec.Affinity})
	})
	s.Test("CreateLoadBalancer/Hostname", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "a", Hostname: "a-" + simcloud.HostnameNumber + ".lb.example.com"})
		f.Equal("hostname", []string{string(lb.ID), lb.Hostname}, []string{"lb-1", "a-1.lb.example.com"})
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), lb)
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "b", Hostname: "b_.example.com"})
		f.WantField(err, "hostname")
	})
	s.Test("CreateLoadBalancer/Internal", func(f *suite.Fixture) {
		network := f.Network("10.8.0.0/24", "fd08::/64")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal, Network: network.ID})
		f.Equal("VIPs", len(lb.VIPs), 2)
		for i, cidr := range network.CIDRs {
			f.InRange(simcloud.Address{Scope: simcloud.ScopePrivate, Address: lb.VIPs[i].Address}, simcloud.ScopePrivate, cidr)
			f.Equal("floating IP", lb.VIPs[i].FloatingIP, simcloud.ID(""))
		}
	})
}

func testLoadBalancerRefusals(s suite.Runner) {
	s.Test("CreateLoadBalancer/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{
			Name: "lb", Scheme: "secret", Listeners: []simcloud.ListenerSpec{suite.TCP(80, 0), suite.TCP(80, 1)},
		})
		f.WantField(err, "scheme")
		f.WantField(err, "listeners[0].targetPort")
		f.WantField(err, "listeners[1].port")
	})
	s.Test("CreateLoadBalancer/NetworkUnknown", func(f *suite.Fixture) {
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "lb", Network: "net-9"})
		f.WantField(err, "network")
	})
	s.Test("CreateLoadBalancer/TargetUnknown", func(f *suite.Fixture) {
		spec := simcloud.LoadBalancerSpec{Name: "lb", Targets: []simcloud.TargetSpec{{Instance: f.Instance("a").ID}, {Instance: "i-9"}}}
		_, err := f.CreateLoadBalancer(f.Ctx, spec)
		f.WantField(err, "targets[1].instance")
	})
}

func testLoadBalancerChanges(s suite.Runner) {
	s.Test("UpdateLoadBalancer/OK", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Labels: map[string]string{"k": "v"}})
		update := simcloud.LoadBalancerUpdate{
			Name: suite.Ptr("b"), Labels: &map[string]string{"x": "y"}, Algorithm: suite.Ptr(simcloud.LeastConnections),
			Affinity: &simcloud.Affinity{ClientIP: true},
		}
		r := suite.Must[lbResult](f)(f.UpdateLoadBalancer(f.Ctx, lb.ID, update))
		f.Done(r.Operation, "UpdateLoadBalancer", simcloud.KindLoadBalancer, lb.ID)
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
		want := lb
		want.Meta, want.Algorithm, want.Affinity = r.Resource.Meta, *update.Algorithm, *update.Affinity
		f.Equal("load balancer", r.Resource, want)
		f.Equal("name and labels", []any{want.Name, want.Labels}, []any{"b", map[string]string{"x": "y"}})
	})
	s.Test("UpdateLoadBalancer/Invalid", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		_, err := f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{Algorithm: suite.Ptr(simcloud.Algorithm("dice"))})
		f.WantField(err, "algorithm")
	})
	s.Test("DeleteLoadBalancer/OK", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		fip := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToLoadBalancer(lb.ID)})
		op := suite.Must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		f.Done(op, "DeleteLoadBalancer", simcloud.KindLoadBalancer, lb.ID)
		_, err := f.GetLoadBalancer(f.Ctx, lb.ID)
		f.Want(err, simcloud.NotFound)
		f.Equal("the floating IP stays", f.MustGetFloatingIP(fip.ID).State, simcloud.FloatingIPAvailable)
	})
	s.Test("FailoverLoadBalancer/OK", func(f *suite.Fixture) {
		before := f.MustGetLoadBalancer(suite.MakeLoadBalancer(f))
		r := suite.Must[lbResult](f)(f.FailoverLoadBalancer(f.Ctx, before.ID))
		f.Done(r.Operation, "FailoverLoadBalancer", simcloud.KindLoadBalancer, before.ID)
		f.Equal("as read", f.MustGetLoadBalancer(before.ID), r.Resource)
		before.Version, before.Updated = r.Resource.Version, r.Resource.Updated
		f.Equal("load balancer", r.Resource, before)
	})
	s.TestSlow("FailoverLoadBalancer/Slow", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		f.Advance(suite.OpDuration)
		r := suite.Must[lbResult](f)(f.FailoverLoadBalancer(f.Ctx, lb.ID))
		f.Equal("state at first", r.Resource.State, simcloud.LoadBalancerUpdating)
		f.Advance(suite.OpDuration)
		f.Equal("state in the end", f.MustGetLoadBalancer(lb.ID).State, simcloud.LoadBalancerActive)
	})
	s.TestSlow("CreateLoadBalancer/Slow", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		f.Equal("state at first", lb.State, simcloud.LoadBalancerProvisioning)
		f.Advance(suite.OpDuration)
		f.Equal("state in the end", f.MustGetLoadBalancer(lb.ID).State, simcloud.LoadBalancerActive)
		r := suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb.ID, suite.TCP(80, 81)))
		f.Equal("state of a change", r.Resource.State, simcloud.LoadBalancerUpdating)
		f.Advance(suite.OpDuration)
		f.Equal("state after the change", f.MustGetLoadBalancer(lb.ID).State, simcloud.LoadBalancerActive)
		suite.Must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		f.Equal("state of the deletion", f.MustGetLoadBalancer(lb.ID).State, simcloud.LoadBalancerDeleting)
		f.Advance(suite.OpDuration)
		_, err := f.GetLoadBalancer(f.Ctx, lb.ID)
		f.Want(err, simcloud.NotFound)
	})
	s.TestSlow("UpdateConfig/ChangesWhileBusy", testChangesWhileBusy)
}

// testChangesWhileBusy: a change is taken in while the load balancer is made, which is no longer or shorter for it.
func testChangesWhileBusy(f *suite.Fixture) {
	suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{ChangesWhileBusy: &[]simcloud.Kind{simcloud.KindLoadBalancer}}))
	a := f.Instance("a")
	f.Advance(suite.OpDuration)
	lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
	changed := suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb.ID, suite.TCP(80, 81)))
	f.Equal("operation of the change", changed.Operation.State, simcloud.OperationDone)
	f.Equal("the change", []any{changed.Resource.State, changed.Resource.Operation, len(changed.Resource.Listeners)}, []any{simcloud.LoadBalancerProvisioning, lb.Operation, 1})
	f.Advance(suite.OpDuration)
	suite.Must[lbResult](f)(f.CreateTarget(f.Ctx, lb.ID, simcloud.TargetSpec{Instance: a.ID})) // of an active one it takes its time
	got := suite.Must[lbResult](f)(f.DeleteListener(f.Ctx, lb.ID, "tcp-80")).Resource
	f.Equal("the next ones", []any{got.State, len(got.Listeners), len(got.Targets)}, []any{simcloud.LoadBalancerUpdating, 0, 1})
	_, err := f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{Name: suite.Ptr("b")}, simcloud.IfVersion(1))
	f.Want(err, simcloud.Conflict)
	_, err = f.DeleteLoadBalancer(f.Ctx, lb.ID)
	f.Want(err, simcloud.Locked)
	f.Advance(suite.OpDuration)
	f.Equal("in the end", f.MustGetLoadBalancer(lb.ID).State, simcloud.LoadBalancerActive)
	suite.Must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
	_, err = f.CreateListener(f.Ctx, lb.ID, suite.TCP(80, 81))
	f.Want(err, simcloud.Locked) // it goes
}
