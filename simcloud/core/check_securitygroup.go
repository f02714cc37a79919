package core

import "github.com/simcloud-dev/simcloud/simcloud"

func (i *inspection) securityGroups() {
	networks := map[simcloud.ID]simcloud.ID{}
	for _, group := range i.state.SecurityGroups {
		networks[group.ID] = group.Network
		if group.Network != "" {
			i.refers(simcloud.KindSecurityGroup, group.Meta, simcloud.KindNetwork, group.Network)
		}
		i.rules(group)
	}
	has := func(kind simcloud.Kind, meta simcloud.Meta, network simcloud.ID, groups []simcloud.ID) {
		for _, id := range groups {
			i.refers(kind, meta, simcloud.KindSecurityGroup, id)
			if of := networks[id]; of != "" && of != network {
				i.fail("%s has %s, which is of %s and not of %s", meta.ID, id, of, network)
			}
		}
	}
	for _, instance := range i.state.Instances {
		has(simcloud.KindInstance, instance.Meta, instance.Network, instance.SecurityGroups)
	}
	for _, lb := range i.state.LoadBalancers {
		has(simcloud.KindLoadBalancer, lb.Meta, lb.Network, lb.SecurityGroups)
	}
}

func (i *inspection) rules(group simcloud.SecurityGroup) {
	seen := map[simcloud.SecurityGroupRuleSpec]simcloud.ID{}
	for _, rule := range group.Rules {
		if rule.Group != "" {
			i.refers(simcloud.KindSecurityGroup, group.Meta, simcloud.KindSecurityGroup, rule.Group)
		}
		if other, twice := seen[rule.Traffic()]; twice {
			i.fail("%s has one rule twice: %s and %s", group.ID, other, rule.ID)
		}
		seen[rule.Traffic()] = rule.ID
	}
}
