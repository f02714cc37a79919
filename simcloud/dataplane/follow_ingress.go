package dataplane

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// balancerIngress is what the groups of a load balancer let in. A rule that names a group
// is for the instances that have it, at any of their addresses.
func balancerIngress(lb simcloud.LoadBalancer, view mirror.View) *Ingress {
	return ingressOf(lb.SecurityGroups, view, func(rule simcloud.SecurityGroupRuleSpec, want *IngressRule) {
		if rule.Group != "" {
			want.Clients = members(rule.Group, view)
		}
	})
}

// targetIngress is what the groups of the targets of a load balancer let in that comes through it. A
// rule with a range is for clients, whose addresses the load balancer keeps, and for health checks where
// the load balancer itself is in it. A rule that names a group is for all that comes from a load balancer that has it.
type targetIngress struct {
	lb     simcloud.LoadBalancer
	view   mirror.View
	places []netip.Prefix
	known  map[string]*Ingress // by the groups: most targets have the same ones
}

func newTargetIngress(lb simcloud.LoadBalancer, view mirror.View) *targetIngress {
	return &targetIngress{lb: lb, view: view, places: placesOf(lb, view), known: map[string]*Ingress{}}
}

func (t *targetIngress) of(instance simcloud.Instance) *Ingress {
	key := fmt.Sprint(instance.SecurityGroups)
	ingress, known := t.known[key]
	if !known {
		ingress = ingressOf(instance.SecurityGroups, t.view, t.fill)
		t.known[key] = ingress
	}
	return ingress
}

func (t *targetIngress) fill(rule simcloud.SecurityGroupRuleSpec, want *IngressRule) {
	if rule.Group != "" {
		want.Balancer = slices.Contains(t.lb.SecurityGroups, rule.Group)
	}
	want.Checks = slices.ContainsFunc(want.Clients, func(r netip.Prefix) bool { return slices.ContainsFunc(t.places, covers(r)) })
}

// ingressOf is what groups let in, nil when there are none. fill completes a rule that names no
// range, or has more to say.
func ingressOf(groups []simcloud.ID, view mirror.View, fill func(simcloud.SecurityGroupRuleSpec, *IngressRule)) *Ingress {
	if len(groups) == 0 {
		return nil
	}
	ingress := &Ingress{Groups: groups}
	for _, id := range groups {
		for _, rule := range view.SecurityGroups[id].Rules {
			traffic := rule.Traffic()
			if traffic.Direction != simcloud.Ingress || traffic.Protocol == simcloud.RuleICMP {
				continue
			}
			want := IngressRule{FromPort: traffic.FromPort, ToPort: traffic.ToPort}
			if traffic.Protocol != simcloud.RuleAny {
				want.Protocol = simcloud.Protocol(traffic.Protocol)
			}
			if prefix, err := netip.ParsePrefix(traffic.CIDR); err == nil { // the cloud takes no others
				want.Clients = []netip.Prefix{prefix}
			}
			fill(traffic, &want)
			ingress.Rules = append(ingress.Rules, want)
		}
	}
	return ingress
}

// members are the addresses of the instances that have a group.
func members(group simcloud.ID, view mirror.View) []netip.Prefix {
	var all []netip.Prefix
	for _, instance := range view.Instances {
		if !slices.Contains(instance.SecurityGroups, group) {
			continue
		}
		for _, address := range instance.Addresses {
			if addr, err := netip.ParseAddr(address.Address); err == nil {
				all = append(all, netip.PrefixFrom(addr, addr.BitLen()))
			}
		}
	}
	slices.SortFunc(all, func(a, b netip.Prefix) int { return a.Addr().Compare(b.Addr()) })
	return all
}

// placesOf is from where a load balancer checks its targets: its addresses in networks, and what
// it may have an address of, the ranges of its network and of each subnet there. A rule that has all of one
// of these lets its checks in.
func placesOf(lb simcloud.LoadBalancer, view mirror.View) []netip.Prefix {
	var all []netip.Prefix
	add := func(cidr string) {
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			all = append(all, prefix)
		}
	}
	for _, vip := range lb.VIPs {
		if addr, err := netip.ParseAddr(vip.Address); err == nil && vip.Network != "" {
			all = append(all, netip.PrefixFrom(addr, addr.BitLen()))
		}
	}
	for _, cidr := range view.Networks[lb.Network].CIDRs {
		add(cidr)
	}
	for _, subnet := range view.Subnets {
		if subnet.Network == lb.Network {
			add(subnet.CIDR)
		}
	}
	return all
}

// covers reports of a range whether another one has all of it.
func covers(outer netip.Prefix) func(netip.Prefix) bool {
	return func(inner netip.Prefix) bool {
		return outer.Bits() <= inner.Bits() && outer.Contains(inner.Addr())
	}
}
