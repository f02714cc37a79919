package core

import (
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) targetGroups() seedPart {
	p := &kindPart[simcloud.TargetGroup, *simcloud.TargetGroup, simcloud.TargetGroupSpec]{s: s, bucket: store.TargetGroups}
	p.wanted, p.listed = entries(s.want.TargetGroups, "targetGroups", func(g simcloud.TargetGroupSpec) string { return g.Name })
	p.fits = func(have simcloud.TargetGroup, want simcloud.TargetGroupSpec) bool {
		return have.Protocol == want.Protocol && have.Port == want.Port && (have.HealthCheck == nil || want.HealthCheck != nil) &&
			leads(s, store.Networks, have.Network, want.Network)
	}
	p.delete = func(have simcloud.TargetGroup) error {
		_, err := s.do.DeleteTargetGroup(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.TargetGroupSpec) error {
		spec, err := s.targetGroupSpec(want)
		if err != nil {
			return err
		}
		_, err = s.do.CreateTargetGroup(s.ctx, spec)
		return err
	}
	p.update = s.updateTargetGroup
	return p
}

// targetGroupSpec puts ids in the place of names. The load balancers of which groups are parts are made later: see partsPart.
func (s *seeding) targetGroupSpec(want simcloud.TargetGroupSpec) (simcloud.TargetGroupSpec, error) {
	var err error
	want.PartOf = ""
	if want.Network, err = named(s, store.Networks, "network", want.Network); err != nil {
		return want, err
	}
	want.Targets = slices.Clone(want.Targets)
	for i := range want.Targets {
		target := &want.Targets[i]
		if target.Instance, err = named(s, store.Instances, seedPath("targets", i)+"instance", target.Instance); err != nil {
			return want, err
		}
	}
	return want, nil
}

func (s *seeding) updateTargetGroup(have simcloud.TargetGroup, spec simcloud.TargetGroupSpec) error {
	want, err := s.targetGroupSpec(spec)
	if err != nil {
		return err
	}
	update := simcloud.TargetGroupUpdate{Labels: newLabels(have.Labels, want.Labels), Options: newLabels(have.Options, want.Options)}
	if check := copyCheck(want.HealthCheck); !same(check, have.HealthCheck) {
		update.HealthCheck = check
	}
	if have.ProxyProtocol != want.ProxyProtocol {
		update.ProxyProtocol = &want.ProxyProtocol
	}
	if update != (simcloud.TargetGroupUpdate{}) {
		if _, err := s.do.UpdateTargetGroup(s.ctx, have.ID, update); err != nil {
			return err
		}
	}
	return s.updateGroupTargets(have, want.Targets)
}

// updateGroupTargets changes a target by removing it and adding it again.
func (s *seeding) updateGroupTargets(have simcloud.TargetGroup, want []simcloud.GroupTargetSpec) error {
	is := func(target simcloud.GroupTarget) func(simcloud.GroupTargetSpec) bool {
		return func(spec simcloud.GroupTargetSpec) bool {
			return target.At(have.Port) == spec.At(have.Port) && target.Weight == orDefault(spec.Weight, 1) && maps.Equal(target.Options, spec.Options)
		}
	}
	var unwanted, missing []simcloud.GroupTargetSpec
	for _, target := range have.Targets {
		if !slices.ContainsFunc(want, is(target)) {
			unwanted = append(unwanted, target.GroupTargetSpec)
		}
	}
	for _, spec := range want {
		if !slices.ContainsFunc(have.Targets, func(target simcloud.GroupTarget) bool { return is(target)(spec) }) {
			missing = append(missing, spec)
		}
	}
	if len(unwanted) > 0 {
		if _, err := s.do.RemoveGroupTargets(s.ctx, have.ID, simcloud.GroupTargets{Targets: unwanted}); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := s.do.AddGroupTargets(s.ctx, have.ID, simcloud.GroupTargets{Targets: missing})
	return err
}

// forwarding removes listeners whose group goes, or is to be of another listener, before
// groups go and before another load balancer gets the group. The load balancers make those
// that are wanted again.
func (s *seeding) forwarding() seedPart { return &forwardingPart{s} }

type forwardingPart struct{ s *seeding }

func (p *forwardingPart) plan() error { return nil }

func (p *forwardingPart) make() error { return nil }

func (p *forwardingPart) remove() error {
	if p.s.want.LoadBalancers == nil {
		return nil
	}
	lbs, err := store.LoadBalancers.Of(p.s.tx, p.s.caller.Project)
	if err != nil {
		return err
	}
	for _, lb := range lbs {
		if p.s.goes[store.Ref{Kind: simcloud.KindLoadBalancer, ID: lb.ID}] {
			continue
		}
		for _, listener := range lb.Listeners {
			stays, err := p.stays(lb, listener)
			if err != nil {
				return err
			}
			if stays {
				continue
			}
			if _, err := p.s.do.DeleteListener(p.s.ctx, lb.ID, listener.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// stays reports whether a listener keeps its group, if it has one.
func (p *forwardingPart) stays(lb simcloud.LoadBalancer, listener simcloud.Listener) (bool, error) {
	if listener.TargetGroup == "" {
		return true, nil
	}
	if p.s.goes[store.Ref{Kind: simcloud.KindTargetGroup, ID: listener.TargetGroup}] {
		return false, nil
	}
	group, err := store.TargetGroups.Get(p.s.tx, listener.TargetGroup)
	if err != nil {
		return false, err
	}
	for _, spec := range *p.s.want.LoadBalancers {
		for i := 0; spec.Name == lb.Name && i < len(spec.Listeners); i++ {
			want := spec.Listeners[i]
			if simcloud.ListenerID(want.Protocol, want.Port) == listener.ID && string(want.TargetGroup) == group.Name {
				return true, nil
			}
		}
	}
	return false, nil
}
