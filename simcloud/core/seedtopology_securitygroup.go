package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// securityGroups makes groups without rules, since a rule may name a group that comes later.
func (s *seeding) securityGroups() seedPart {
	p := &kindPart[simcloud.SecurityGroup, *simcloud.SecurityGroup, simcloud.SecurityGroupSpec]{s: s, bucket: store.SecurityGroups}
	p.wanted, p.listed = entries(s.want.SecurityGroups, "securityGroups", func(g simcloud.SecurityGroupSpec) string { return g.Name })
	p.fits = func(have simcloud.SecurityGroup, want simcloud.SecurityGroupSpec) bool {
		return (have.Network == "") == (want.Network == "") && leads(s, store.Networks, have.Network, want.Network)
	}
	p.implied = s.impliesGroup
	p.delete = s.deleteGroup
	p.create = func(want simcloud.SecurityGroupSpec) error {
		spec := want
		spec.Rules = nil
		var err error
		if spec.Network, err = named(s, store.Networks, "network", want.Network); err != nil {
			return err
		}
		_, err = s.do.CreateSecurityGroup(s.ctx, spec)
		return err
	}
	p.update = func(have simcloud.SecurityGroup, want simcloud.SecurityGroupSpec) error {
		update := simcloud.SecurityGroupUpdate{Labels: newLabels(have.Labels, want.Labels)}
		if have.Description != want.Description {
			update.Description = &want.Description
		}
		if update == (simcloud.SecurityGroupUpdate{}) {
			return nil
		}
		_, err := s.do.UpdateSecurityGroup(s.ctx, have.ID, update)
		return err
	}
	return p
}

// impliesGroup: the default group of a network stays as long as the network does.
func (s *seeding) impliesGroup(have simcloud.SecurityGroup) bool {
	return s.isDefaultGroup(have) && !s.goes[store.Ref{Kind: simcloud.KindNetwork, ID: have.Network}]
}

// deleteGroup takes the group from instances and load balancers first, if the topology says which groups they have.
func (s *seeding) deleteGroup(have simcloud.SecurityGroup) error {
	ref := store.Ref{Kind: simcloud.KindSecurityGroup, ID: have.ID}
	without := func(groups []simcloud.ID) *[]simcloud.ID {
		left := slices.DeleteFunc(append([]simcloud.ID{}, groups...), func(id simcloud.ID) bool { return id == have.ID })
		return &left
	}
	if s.want.Instances != nil {
		instances, err := store.Instances.Referring(s.tx, ref)
		for i := 0; err == nil && i < len(instances); i++ {
			update := simcloud.InstanceUpdate{SecurityGroups: without(instances[i].SecurityGroups)}
			_, err = s.do.UpdateInstance(s.ctx, instances[i].ID, update)
		}
		if err != nil {
			return err
		}
	}
	if s.want.LoadBalancers != nil {
		balancers, err := store.LoadBalancers.Referring(s.tx, ref)
		for i := 0; err == nil && i < len(balancers); i++ {
			update := simcloud.LoadBalancerUpdate{SecurityGroups: without(balancers[i].SecurityGroups)}
			_, err = s.do.UpdateLoadBalancer(s.ctx, balancers[i].ID, update)
		}
		if err != nil {
			return err
		}
	}
	_, err := s.do.DeleteSecurityGroup(s.ctx, have.ID)
	return err
}

// securityGroupRules brings the rules of the groups that the topology lists to what they
// should be. Those that are not wanted go before groups do, which they may name.
func (s *seeding) securityGroupRules() seedPart {
	return &rulesPart{s: s, removed: map[simcloud.ID]bool{}}
}

type rulesPart struct {
	s *seeding
	// removed are the groups that have lost rules.
	removed map[simcloud.ID]bool
}

func (p *rulesPart) plan() error { return nil }

// remove takes the rules that are not wanted from all groups of the project, those that go included.
func (p *rulesPart) remove() error {
	if p.s.want.SecurityGroups == nil {
		return nil
	}
	groups, err := store.SecurityGroups.Of(p.s.tx, p.s.caller.Project)
	if err != nil {
		return err
	}
	for _, group := range groups {
		unwanted, err := p.unwanted(group)
		if err != nil {
			return err
		}
		if len(unwanted) == 0 {
			continue
		}
		if _, err := p.s.do.RemoveSecurityGroupRules(p.s.ctx, group.ID, simcloud.SecurityGroupRuleIDs{Rules: unwanted}); err != nil {
			return err
		}
		p.removed[group.ID] = true
	}
	return nil
}

// unwanted are the rules of a group that the topology does not have there.
func (p *rulesPart) unwanted(group simcloud.SecurityGroup) ([]simcloud.ID, error) {
	wanted := map[simcloud.SecurityGroupRuleSpec]string{}
	listed := slices.ContainsFunc(*p.s.want.SecurityGroups, func(want simcloud.SecurityGroupSpec) bool { return want.Name == group.Name })
	implied := !listed && p.s.impliesGroup(group)
	if !p.s.goes[store.Ref{Kind: simcloud.KindSecurityGroup, ID: group.ID}] {
		for _, spec := range *p.s.want.SecurityGroups {
			for i := 0; spec.Name == group.Name && i < len(spec.Rules); i++ {
				wanted[spec.Rules[i].Traffic()] = spec.Rules[i].Description
			}
		}
	}
	var unwanted []simcloud.ID
	for _, rule := range group.Rules {
		spec := rule.SecurityGroupRuleSpec
		goes := p.s.goes[store.Ref{Kind: simcloud.KindSecurityGroup, ID: spec.Group}]
		if spec.Group != "" && !goes {
			other, err := store.SecurityGroups.Get(p.s.tx, spec.Group)
			if err != nil {
				return nil, err
			}
			spec.Group = simcloud.ID(other.Name)
		}
		if description, ok := wanted[spec.Traffic()]; goes || !implied && (!ok || description != rule.Description) {
			unwanted = append(unwanted, rule.ID)
		}
	}
	return unwanted, nil
}

// make adds the rules that are missing.
func (p *rulesPart) make() error {
	if p.s.want.SecurityGroups == nil {
		return nil
	}
	for i, want := range *p.s.want.SecurityGroups {
		if err := p.makeOne(want); err != nil {
			return inPart(seedPath("securityGroups", i), err)
		}
	}
	return nil
}

func (p *rulesPart) makeOne(want simcloud.SecurityGroupSpec) error {
	id, err := named(p.s, store.SecurityGroups, "name", simcloud.ID(want.Name))
	if err != nil {
		return err
	}
	have, err := store.SecurityGroups.Get(p.s.tx, id)
	if err != nil {
		return err
	}
	there := map[simcloud.SecurityGroupRuleSpec]bool{}
	for _, rule := range have.Rules {
		there[rule.Traffic()] = true
	}
	var missing []simcloud.SecurityGroupRuleSpec
	for i, rule := range want.Rules {
		if rule.Group, err = named(p.s, store.SecurityGroups, seedPath("rules", i)+"group", rule.Group); err != nil {
			return err
		}
		if !there[rule.Traffic()] {
			missing = append(missing, rule)
		}
	}
	if len(missing) > 0 {
		_, err = p.s.do.AddSecurityGroupRules(p.s.ctx, id, simcloud.SecurityGroupRules{Rules: missing})
	}
	if len(missing) > 0 || p.removed[id] {
		p.s.updated(simcloud.Ref(simcloud.KindSecurityGroup, simcloud.ID(want.Name)))
	}
	return err
}

// groupIDs puts ids in the place of the names of groups.
func (s *seeding) groupIDs(names []simcloud.ID) ([]simcloud.ID, error) {
	var ids []simcloud.ID
	for _, name := range names {
		id, err := named(s, store.SecurityGroups, "securityGroups", name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// newGroups returns the update that leads from one list of groups to another; nil when they are the same.
func newGroups(have, want []simcloud.ID) *[]simcloud.ID {
	if slices.Equal(have, want) {
		return nil
	}
	groups := append([]simcloud.ID{}, want...)
	return &groups
}
