package dataplane

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// desired is what is to be forwarded for a cloud.
func desired(view mirror.View) []LoadBalancer {
	var all []LoadBalancer
	for lb := range maps.Values(view.LoadBalancers) {
		if forwards(lb.State) {
			all = append(all, wantedLoadBalancer(lb, view))
		}
	}
	slices.SortFunc(all, func(a, b LoadBalancer) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all
}

// forwards reports whether a load balancer in that state takes connections. One
// that is being changed goes on meanwhile.
func forwards(state simcloud.LoadBalancerState) bool {
	return state == simcloud.LoadBalancerActive || state == simcloud.LoadBalancerUpdating
}

func wantedLoadBalancer(lb simcloud.LoadBalancer, view mirror.View) LoadBalancer {
	want := LoadBalancer{ID: lb.ID, Algorithm: lb.Algorithm, Affinity: lb.Affinity}
	for _, vip := range lb.VIPs {
		if addr, err := netip.ParseAddr(vip.Address); err == nil && lb.Answers(vip) { // the cloud makes no others
			want.VIPs = append(want.VIPs, addr)
		}
	}
	ingress, targets := balancerIngress(lb, view), newTargetIngress(lb, view)
	for _, l := range lb.Listeners {
		group, grouped := view.TargetGroups[l.TargetGroup]
		if grouped {
			l.TargetPort, l.HealthCheck, l.ProxyProtocol = group.Port, group.HealthCheck, group.ProxyProtocol
		}
		listener := wantedListener(l)
		listener.Ingress = ingress
		want.Listeners = append(want.Listeners, listener)
		if l.TargetGroup != "" && !hasGroup(want, l.TargetGroup) {
			want.Groups = append(want.Groups, wantedGroup(l.TargetGroup, group, view, targets))
		}
	}
	for _, t := range lb.Targets {
		want.Targets = append(want.Targets, wantedTarget(t, view, targets))
	}
	return want
}

func hasGroup(lb LoadBalancer, id simcloud.ID) bool {
	return slices.ContainsFunc(lb.Groups, func(g Group) bool { return g.ID == id })
}

// wantedGroup is a target group; one that is not in the view has no targets.
func wantedGroup(id simcloud.ID, group simcloud.TargetGroup, view mirror.View, ingress *targetIngress) Group {
	want := Group{ID: id}
	for _, t := range group.Targets {
		target := wantedTarget(simcloud.Target{Instance: t.Instance, Address: t.Address, Weight: t.Weight, Reported: t.Reported}, view, ingress)
		target.Port = t.Port
		want.Targets = append(want.Targets, target)
	}
	return want
}

func wantedListener(l simcloud.Listener) Listener {
	want := Listener{
		Protocol: l.Protocol, Port: l.Port, TargetPort: l.TargetPort, Group: l.TargetGroup, HealthCheck: l.HealthCheck,
		IdleTimeout: seconds(l.IdleTimeoutSeconds),
	}
	if l.ProxyProtocol {
		want.ProxyProtocol = ProxyProtocolV2
	}
	for _, cidr := range l.AllowedCIDRs {
		if prefix, err := netip.ParsePrefix(cidr); err == nil { // the cloud takes no others
			want.AllowedCIDRs = append(want.AllowedCIDRs, prefix)
		}
	}
	return want
}

// wantedTarget is an instance as a target, the zero instance when it is gone, or an address.
func wantedTarget(t simcloud.Target, view mirror.View, ingress *targetIngress) Target {
	if t.Address != "" {
		return addressTarget(t)
	}
	instance := view.Instances[t.Instance]
	want := Target{
		Instance: t.Instance, Weight: t.Weight, Health: instance.TargetHealth(), Found: t.Reported, Ingress: ingress.of(instance),
	}
	for _, address := range instance.Addresses {
		if address.Scope != simcloud.ScopePrivate {
			continue
		}
		if addr, err := netip.ParseAddr(address.Address); err == nil {
			want.Addresses = append(want.Addresses, addr)
		}
	}
	return want
}

// addressTarget is an address as a target. The cloud has no instance behind it, and so no security groups for it.
func addressTarget(t simcloud.Target) Target {
	want := Target{Instance: t.Key(), Weight: t.Weight, Health: simcloud.TargetHealthy, Found: t.Reported}
	if addr, err := netip.ParseAddr(t.Address); err == nil { // the cloud takes no others
		want.Addresses = []netip.Addr{addr}
	}
	return want
}
