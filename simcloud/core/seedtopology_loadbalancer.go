package core

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) loadBalancers() seedPart {
	p := &kindPart[simcloud.LoadBalancer, *simcloud.LoadBalancer, simcloud.LoadBalancerSpec]{s: s, bucket: store.LoadBalancers}
	p.wanted, p.listed = entries(s.want.LoadBalancers, "loadBalancers", func(lb simcloud.LoadBalancerSpec) string { return lb.Name })
	p.fits = func(have simcloud.LoadBalancer, want simcloud.LoadBalancerSpec) bool {
		return have.Scheme == cmp.Or(want.Scheme, simcloud.SchemePublic) && s.sameClass(have.Class, want.Class) && listensOn(have, want.Addresses) &&
			s.placedAs(have, want) &&
			leads(s, store.Networks, have.Network, want.Network) && have.Hostname == hostnameOf(have.ID, want.Hostname) && !s.losesAddress(have)
	}
	p.delete = func(have simcloud.LoadBalancer) error {
		_, err := s.do.DeleteLoadBalancer(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.LoadBalancerSpec) error {
		spec, err := s.loadBalancerSpec(want)
		if err != nil {
			return err
		}
		_, err = s.do.CreateLoadBalancer(s.ctx, spec)
		return err
	}
	p.update = s.updateLoadBalancer
	return p
}

// placedAs reports whether a load balancer has its own public addresses and its placements as it should.
func (s *seeding) placedAs(have simcloud.LoadBalancer, want simcloud.LoadBalancerSpec) bool {
	has := have.Placements()
	if len(want.Placements) == 0 {
		return len(has) == 0 && slices.Equal(publicFamilies(have), sorted(want.PublicFamilies))
	}
	return slices.EqualFunc(has, want.Placements, func(at, p simcloud.LoadBalancerPlacement) bool {
		families := p.Families
		if len(families) == 0 && have.Scheme == simcloud.SchemePublic {
			families = []int{4}
		}
		return leads(s, store.Subnets, at.Subnet, p.Subnet) && (p.Zone == "" || p.Zone == at.Zone) && hasAddresses(at, p.Addresses) &&
			(len(families) == 0 || slices.Equal(sorted(at.Families), sorted(families)))
	})
}

// hasAddresses reports whether a placement has all addresses, however they are written.
func hasAddresses(at simcloud.LoadBalancerPlacement, asked []string) bool {
	return !slices.ContainsFunc(asked, func(text string) bool {
		return !slices.ContainsFunc(at.Addresses, func(address string) bool { return spells(text, address) })
	})
}

// sameClass reports whether a load balancer has the class that it should; where
// the cloud has classes, no name accepts whatever it has.
func (s *seeding) sameClass(have, want string) bool {
	return have == want || want == "" && len(s.cloud.config.Load().LoadBalancerClasses) > 0
}

// listensOn reports whether a load balancer has all addresses, however they are written.
func listensOn(lb simcloud.LoadBalancer, addresses []string) bool {
	return !slices.ContainsFunc(addresses, func(text string) bool {
		return !slices.ContainsFunc(lb.VIPs, func(vip simcloud.VIP) bool { return spells(text, vip.Address) })
	})
}

// spells reports whether a text is a spelling of an address.
func spells(text, address string) bool {
	addr, err := netip.ParseAddr(text)
	return err == nil && addr.String() == address
}

// publicFamilies are the families of the public addresses that are the load balancer's own, in their order.
func publicFamilies(lb simcloud.LoadBalancer) (families []int) {
	for _, vip := range lb.VIPs {
		if vip.Pool == "" {
			continue
		}
		family := 6
		if addr, err := netip.ParseAddr(vip.Address); err == nil && addr.Is4() {
			family = 4
		}
		families = append(families, family)
	}
	return sorted(families)
}

func sorted(families []int) []int { return slices.Sorted(slices.Values(families)) }

// loadBalancerSpec puts ids in the place of names.
func (s *seeding) loadBalancerSpec(want simcloud.LoadBalancerSpec) (simcloud.LoadBalancerSpec, error) {
	var err error
	if want.Network, err = named(s, store.Networks, "network", want.Network); err != nil {
		return want, err
	}
	if want.Networks, err = s.attachments(want.Networks); err != nil {
		return want, err
	}
	want.Placements = slices.Clone(want.Placements)
	for i := range want.Placements {
		p := &want.Placements[i]
		if p.Subnet, err = named(s, store.Subnets, seedPath("placements", i)+"subnet", p.Subnet); err != nil {
			return want, err
		}
	}
	if want.SecurityGroups, err = s.groupIDs(want.SecurityGroups); err != nil {
		return want, err
	}
	want.Targets = slices.Clone(want.Targets)
	for i := range want.Targets {
		target := &want.Targets[i]
		if target.Instance, err = named(s, store.Instances, seedPath("targets", i)+"instance", target.Instance); err != nil {
			return want, err
		}
	}
	want.Listeners = slices.Clone(want.Listeners)
	for i := range want.Listeners {
		listener := &want.Listeners[i]
		if listener.TargetGroup, err = named(s, store.TargetGroups, seedPath("listeners", i)+"targetGroup", listener.TargetGroup); err != nil {
			return want, err
		}
	}
	return want, nil
}

func (s *seeding) updateLoadBalancer(have simcloud.LoadBalancer, spec simcloud.LoadBalancerSpec) error {
	want, err := s.loadBalancerSpec(spec)
	if err != nil {
		return err
	}
	if have.State != simcloud.LoadBalancerActive && have.Operation == "" {
		if _, err := s.do.FailoverLoadBalancer(s.ctx, have.ID); err != nil {
			return err
		}
	}
	update := simcloud.LoadBalancerUpdate{
		Labels: newLabels(have.Labels, want.Labels), Protected: newProtection(have.Protected, want.Protected),
		SecurityGroups: newGroups(have.SecurityGroups, want.SecurityGroups), Options: newLabels(have.Options, want.Options),
	}
	if algorithm := cmp.Or(want.Algorithm, simcloud.RoundRobin); algorithm != have.Algorithm {
		update.Algorithm = &algorithm
	}
	if want.Affinity != have.Affinity {
		update.Affinity = &want.Affinity
	}
	if want.MaxTargets != 0 && want.MaxTargets != have.MaxTargets {
		update.MaxTargets = &want.MaxTargets
	}
	if want.MaxListeners != 0 && want.MaxListeners != have.MaxListeners {
		update.MaxListeners = &want.MaxListeners
	}
	if have.PublicDisabled && !want.PublicDisabled {
		update.PublicDisabled = &want.PublicDisabled
	}
	if update != (simcloud.LoadBalancerUpdate{}) {
		if _, err := s.do.UpdateLoadBalancer(s.ctx, have.ID, update); err != nil {
			return err
		}
	}
	if have, err = s.updateNetworks(have, want); err != nil {
		return err
	}
	if err := s.updateListeners(have, want); err != nil {
		return err
	}
	if err := s.updateTargets(have, want); err != nil {
		return err
	}
	if !want.PublicDisabled || have.PublicDisabled {
		return nil
	}
	_, err = s.do.UpdateLoadBalancer(s.ctx, have.ID, simcloud.LoadBalancerUpdate{PublicDisabled: &want.PublicDisabled})
	return err
}

// updateListeners removes listeners first: one that is removed may have the port of a new one.
func (s *seeding) updateListeners(have simcloud.LoadBalancer, want simcloud.LoadBalancerSpec) error {
	wanted := map[simcloud.ID]bool{}
	for _, spec := range want.Listeners {
		wanted[simcloud.ListenerID(spec.Protocol, spec.Port)] = true
	}
	for _, listener := range have.Listeners {
		if wanted[listener.ID] {
			continue
		}
		if _, err := s.do.DeleteListener(s.ctx, have.ID, listener.ID); err != nil {
			return err
		}
	}
	for i, spec := range want.Listeners {
		listener := newListener(spec)
		var err error
		if at := listenerAt(have, listener.ID); at < 0 {
			_, err = s.do.CreateListener(s.ctx, have.ID, spec)
		} else if !same(have.Listeners[at], listener) {
			_, err = s.do.UpdateListener(s.ctx, have.ID, listener.ID, spec.ListenerConfig)
		}
		if err != nil {
			return inPart(seedPath("listeners", i), err)
		}
	}
	return nil
}

// updateTargets changes a target by removing it and adding it again.
func (s *seeding) updateTargets(have simcloud.LoadBalancer, want simcloud.LoadBalancerSpec) error {
	for _, target := range have.Targets {
		if slices.ContainsFunc(want.Targets, func(spec simcloud.TargetSpec) bool { return sameTarget(target, spec) }) {
			continue
		}
		if _, err := s.do.DeleteTarget(s.ctx, have.ID, target.Key()); err != nil {
			return err
		}
	}
	for i, spec := range want.Targets {
		if slices.ContainsFunc(have.Targets, func(target simcloud.Target) bool { return sameTarget(target, spec) }) {
			continue
		}
		if _, err := s.do.CreateTarget(s.ctx, have.ID, spec); err != nil {
			return inPart(seedPath("targets", i), err)
		}
	}
	return nil
}

func sameTarget(have simcloud.Target, want simcloud.TargetSpec) bool {
	return have.Key() == want.Key() && have.UsePrivateIP == want.UsePrivateIP && have.Weight == orDefault(want.Weight, 1) && maps.Equal(have.Labels, want.Labels)
}
