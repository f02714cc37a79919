package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// groupParts makes target groups parts of load balancers, once these are there. Groups that are not to stay so
// are freed first: those that stay would be deleted with a load balancer that goes, and no other one could name them.
func (s *seeding) groupParts() seedPart { return &partsPart{s: s, freed: map[simcloud.ID]bool{}} }

type partsPart struct {
	s *seeding
	// freed are the groups that are part of no load balancer any more.
	freed map[simcloud.ID]bool
}

func (p *partsPart) plan() error { return nil }

func (p *partsPart) remove() error {
	if p.s.want.TargetGroups == nil {
		return nil
	}
	groups, err := store.TargetGroups.Of(p.s.tx, p.s.caller.Project)
	if err != nil {
		return err
	}
	for _, group := range groups {
		if group.PartOf == "" || p.stays(group) {
			continue
		}
		if err := p.join(group.ID, ""); err != nil {
			return err
		}
		p.freed[group.ID] = true
	}
	return nil
}

// stays reports whether a group stays part of its load balancer.
func (p *partsPart) stays(group simcloud.TargetGroup) bool {
	if p.s.goes[store.Ref{Kind: simcloud.KindTargetGroup, ID: group.ID}] {
		return false
	}
	for _, want := range *p.s.want.TargetGroups {
		if want.Name == group.Name {
			return want.PartOf != "" && leads(p.s, store.LoadBalancers, group.PartOf, want.PartOf)
		}
	}
	return false
}

func (p *partsPart) make() error {
	if p.s.want.TargetGroups == nil {
		return nil
	}
	for i, want := range *p.s.want.TargetGroups {
		if err := p.makeOne(want); err != nil {
			return inPart(seedPath("targetGroups", i), err)
		}
	}
	return nil
}

func (p *partsPart) makeOne(want simcloud.TargetGroupSpec) error {
	id, err := named(p.s, store.TargetGroups, "name", simcloud.ID(want.Name))
	if err != nil {
		return err
	}
	lb, err := named(p.s, store.LoadBalancers, "partOf", want.PartOf)
	if err != nil {
		return err
	}
	have, err := store.TargetGroups.Get(p.s.tx, id)
	if err != nil {
		return err
	}
	if have.PartOf != lb {
		err = p.join(id, lb)
	}
	if have.PartOf != lb || p.freed[id] {
		p.s.updated(simcloud.Ref(simcloud.KindTargetGroup, simcloud.ID(want.Name)))
	}
	return err
}

func (p *partsPart) join(group, lb simcloud.ID) error {
	_, err := p.s.do.UpdateTargetGroup(p.s.ctx, group, simcloud.TargetGroupUpdate{PartOf: &lb})
	return err
}
