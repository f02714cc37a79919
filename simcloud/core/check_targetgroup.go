package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// targetGroups checks that groups and the listeners that name them agree.
func (i *inspection) targetGroups() {
	groups := map[simcloud.ID]simcloud.TargetGroup{}
	for _, group := range i.state.TargetGroups {
		groups[group.ID] = group
		i.refers(simcloud.KindTargetGroup, group.Meta, simcloud.KindNetwork, group.Network)
		i.partOf(group)
		i.groupTargets(group)
	}
	named := map[simcloud.ID]bool{}
	for _, lb := range i.state.LoadBalancers {
		for _, listener := range lb.Listeners {
			id := listener.TargetGroup
			if id == "" {
				continue
			}
			named[id] = true
			i.refers(simcloud.KindLoadBalancer, lb.Meta, simcloud.KindTargetGroup, id)
			group := groups[id]
			if group.LoadBalancer != lb.ID {
				i.fail("%s of %s forwards to %s, which is of %q", listener.ID, lb.ID, id, group.LoadBalancer)
			}
			if group.Network != lb.Network || !group.Fits(listener.Protocol) {
				i.fail("%s of %s in %s forwards to %s of %s in %s", listener.ID, lb.ID, lb.Network, id, group.Protocol, group.Network)
			}
		}
	}
	for _, group := range i.state.TargetGroups {
		if group.LoadBalancer != "" && !named[group.ID] {
			i.fail("%s is of %s, whose listeners do not name it", group.ID, group.LoadBalancer)
		}
	}
}

// partOf checks the load balancer that a group is part of.
func (i *inspection) partOf(group simcloud.TargetGroup) {
	if group.PartOf == "" {
		return
	}
	i.refers(simcloud.KindTargetGroup, group.Meta, simcloud.KindLoadBalancer, group.PartOf)
	at := slices.IndexFunc(i.state.LoadBalancers, func(lb simcloud.LoadBalancer) bool { return lb.ID == group.PartOf })
	if at >= 0 && i.state.LoadBalancers[at].Network != group.Network {
		i.fail("%s in %s is part of %s in %s", group.ID, group.Network, group.PartOf, i.state.LoadBalancers[at].Network)
	}
	if group.LoadBalancer != "" && group.LoadBalancer != group.PartOf {
		i.fail("%s is part of %s, and listeners of %s forward to it", group.ID, group.PartOf, group.LoadBalancer)
	}
}

func (i *inspection) groupTargets(group simcloud.TargetGroup) {
	seen := map[simcloud.GroupTargetKey]bool{}
	for _, target := range group.Targets {
		at := target.At(group.Port)
		if seen[at] {
			i.fail("%s has the target %s at port %d twice", group.ID, target.Key(), at.Port)
		}
		seen[at] = true
		instance, there := i.machine(target.Instance, target.Address)
		if there && target.Address == "" && instance.Project != group.Project {
			i.fail("%s has the target %s, of another project", group.ID, target.Instance)
		}
		if want := healthOf(instance, target.Reported); target.Health != want {
			i.fail("%s has the target %s as %s: it is %s", group.ID, target.Key(), target.Health, want)
		}
	}
}
