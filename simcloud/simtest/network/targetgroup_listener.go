package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// toGroup is a listener that forwards to a group.
func toGroup(protocol simcloud.Protocol, port int, group simcloud.ID) simcloud.ListenerSpec {
	return simcloud.ListenerSpec{Protocol: protocol, Port: port, ListenerConfig: simcloud.ListenerConfig{TargetGroup: group}}
}

// wantGroupOf fails the test unless a group is of a load balancer, "" for none.
func wantGroupOf(f *suite.Fixture, group, lb simcloud.ID) {
	f.Helper()
	f.Equal("load balancer of "+string(group), suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, group)).LoadBalancer, lb)
}

// testTargetGroupListeners: which listeners can forward to a group, and for how long it is theirs.
func testTargetGroupListeners(s suite.Runner) {
	s.Test("CreateListener/TargetGroup", func(f *suite.Fixture) {
		group, lb := f.TargetGroup(30080).ID, f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID
		r := suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb, toGroup(simcloud.ProtocolTCP, 80, group)))
		f.Equal("listener", r.Resource.Listeners, []simcloud.Listener{
			{ID: "tcp-80", Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetGroup: group}},
		})
		wantGroupOf(f, group, lb)
		suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb, toGroup(simcloud.ProtocolTLS, 443, group))) // another one of the same
		_, err := f.DeleteTargetGroup(f.Ctx, group)
		f.Want(err, simcloud.InUse)
		suite.Must[lbResult](f)(f.DeleteListener(f.Ctx, lb, "tcp-80"))
		wantGroupOf(f, group, lb)
		suite.Must[lbResult](f)(f.DeleteListener(f.Ctx, lb, "tls-443"))
		wantGroupOf(f, group, "")
		suite.Drop(f)(f.DeleteTargetGroup(f.Ctx, group))
		f.Check()
	})
	s.Test("CreateListener/TargetGroupInvalid", refuseTargetGroupListeners)
	s.Test("CreateListener/TargetGroupProtocols", func(f *suite.Fixture) {
		lb, port := f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID, 0
		for _, c := range []struct {
			group, listener simcloud.Protocol
			fits            bool
		}{
			{simcloud.ProtocolTCP, simcloud.ProtocolTLS, true}, {simcloud.ProtocolTLS, simcloud.ProtocolTCP, true},
			{simcloud.ProtocolTCPUDP, simcloud.ProtocolTCP, true}, {simcloud.ProtocolTCPUDP, simcloud.ProtocolUDP, true},
			{simcloud.ProtocolTCP, simcloud.ProtocolUDP, false}, {simcloud.ProtocolUDP, simcloud.ProtocolTCP, false},
			{simcloud.ProtocolTCP, simcloud.ProtocolTCPUDP, false}, {simcloud.ProtocolUDP, simcloud.ProtocolTCPUDP, false},
		} {
			spec := simcloud.TargetGroupSpec{Name: "a", Protocol: c.group, Port: 80}
			group := suite.Must[targetGroupResult](f)(f.CreateTargetGroup(f.Ctx, spec)).Resource.ID
			port++
			_, err := f.CreateListener(f.Ctx, lb, toGroup(c.listener, port, group))
			if c.fits {
				f.Want(err, "")
				continue
			}
			f.WantField(err, "targetGroup")
		}
	})
}

// testTargetGroupMoves: a group is of one load balancer at a time.
func testTargetGroupMoves(s suite.Runner) {
	s.Test("CreateListener/TargetGroupOfAnother", func(f *suite.Fixture) {
		group := f.TargetGroup(80).ID
		theirs := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{toGroup(simcloud.ProtocolTCP, 80, group)}}).ID
		ours := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "ours", Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1)}})
		_, err := f.CreateListener(f.Ctx, ours.ID, toGroup(simcloud.ProtocolTCP, 81, group))
		f.Want(err, simcloud.Conflict)
		f.WantResource(err, "target_group/"+string(group))
		_, err = f.UpdateListener(f.Ctx, ours.ID, "tcp-80", simcloud.ListenerConfig{TargetGroup: group})
		f.Want(err, simcloud.Conflict)
		_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "third", Listeners: []simcloud.ListenerSpec{toGroup(simcloud.ProtocolTCP, 80, group)}})
		f.Want(err, simcloud.Conflict)
		f.Equal("afterwards", f.MustGetLoadBalancer(ours.ID), ours)
		wantGroupOf(f, group, theirs)
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, theirs))
		wantGroupOf(f, group, "")
		suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, ours.ID, "tcp-80", simcloud.ListenerConfig{TargetGroup: group}))
		wantGroupOf(f, group, ours.ID)
		f.Check()
	})
	s.Test("UpdateListener/TargetGroup", func(f *suite.Fixture) {
		a, b := f.TargetGroup(80).ID, f.TargetGroup(81).ID
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{toGroup(simcloud.ProtocolTCP, 80, a)}}).ID
		suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, lb, "tcp-80", simcloud.ListenerConfig{TargetGroup: b}))
		wantGroupOf(f, a, "")
		wantGroupOf(f, b, lb)
		r := suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, lb, "tcp-80", simcloud.ListenerConfig{TargetPort: 30080}))
		f.Equal("without a group", r.Resource.Listeners[0].ListenerConfig, simcloud.ListenerConfig{TargetPort: 30080})
		wantGroupOf(f, b, "")
		_, err := f.UpdateListener(f.Ctx, lb, "tcp-80", simcloud.ListenerConfig{TargetGroup: "tg-9"})
		f.WantField(err, "targetGroup")
		f.Check()
	})
	s.TestSlow("DeleteTargetGroup/LoadBalancerBeingDeleted", func(f *suite.Fixture) {
		group := f.TargetGroup(80).ID
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{toGroup(simcloud.ProtocolTCP, 80, group)}})
		f.Advance(suite.OpDuration)
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		_, err := f.DeleteTargetGroup(f.Ctx, group)
		f.Want(err, simcloud.InUse)
		f.Advance(suite.OpDuration)
		suite.Drop(f)(f.DeleteTargetGroup(f.Ctx, group))
	})
	s.Test("ListTargetGroups/RefersTo", func(f *suite.Fixture) {
		a := f.Instance("a").ID
		f.TargetGroup(80)
		with := f.TargetGroup(81, simcloud.GroupTargetSpec{Instance: a}).ID
		of := f.TargetGroup(82).ID
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{toGroup(simcloud.ProtocolTCP, 80, of)}}).ID
		for ref, want := range map[string]simcloud.ID{simcloud.Ref(simcloud.KindInstance, a): with, simcloud.Ref(simcloud.KindLoadBalancer, lb): of} {
			page := suite.Must[simcloud.Page[simcloud.TargetGroup]](f)(f.ListTargetGroups(f.Ctx, simcloud.ListOptions{RefersTo: ref}))
			f.Equal("groups that refer to "+ref, suite.IDs(page.Items), []simcloud.ID{want})
		}
	})
}

// refuseTargetGroupListeners: what is the group's cannot be the listener's too, and the group is one that fits.
func refuseTargetGroupListeners(f *suite.Fixture) {
	group := f.TargetGroup(80).ID
	spec := simcloud.TargetGroupSpec{Name: "theirs", Network: f.Network("10.9.0.0/24").ID, Protocol: simcloud.ProtocolTCP, Port: 80}
	theirs := suite.Must[targetGroupResult](f)(f.CreateTargetGroup(f.Ctx, spec)).Resource.ID
	lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1)}})
	for field, configs := range map[string][]simcloud.ListenerConfig{
		"targetPort":    {{TargetGroup: group, TargetPort: 80}, {}},
		"healthCheck":   {{TargetGroup: group, HealthCheck: &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: 80}}},
		"proxyProtocol": {{TargetGroup: group, ProxyProtocol: true}},
		"targetGroup":   {{TargetGroup: "tg-9"}, {TargetGroup: theirs}},
	} {
		for _, config := range configs {
			listener := simcloud.ListenerSpec{Protocol: simcloud.ProtocolTCP, Port: 81, ListenerConfig: config}
			_, err := f.CreateListener(f.Ctx, lb.ID, listener)
			f.WantField(err, field)
			_, err = f.UpdateListener(f.Ctx, lb.ID, "tcp-80", config)
			f.WantField(err, field)
			_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "lb", Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1), listener}})
			f.WantField(err, "listeners[1]."+field)
		}
	}
	f.Equal("afterwards", f.MustGetLoadBalancer(lb.ID), lb)
	wantGroupOf(f, group, "")
}
