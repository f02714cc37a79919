package topology

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (c *capture) loadBalancer(lb simcloud.LoadBalancer) simcloud.LoadBalancerSpec {
	spec := simcloud.LoadBalancerSpec{
		Name: lb.Name, Labels: lb.Labels, Scheme: lb.Scheme, Class: lb.Class, MaxTargets: lb.MaxTargets, MaxListeners: lb.MaxListeners,
		Network: c.name(simcloud.KindNetwork, lb.Network), Hostname: lb.Hostname, PublicDisabled: lb.PublicDisabled, Algorithm: lb.Algorithm,
		Affinity: lb.Affinity, Protected: lb.Protected, SecurityGroups: c.namesOf(simcloud.KindSecurityGroup, lb.SecurityGroups), Options: lb.Options,
	}
	switch lb.State {
	case simcloud.LoadBalancerError, simcloud.LoadBalancerDeleting:
		c.lose(simcloud.KindLoadBalancer, lb.Meta, "the state %s becomes active", lb.State)
	default:
	}
	c.vips(lb, &spec)
	for _, l := range lb.Listeners {
		spec.Listeners = append(spec.Listeners, c.listener(lb, l))
	}
	for _, t := range lb.Targets {
		target := simcloud.TargetSpec{
			Instance: c.name(simcloud.KindInstance, t.Instance), Address: t.Address, Weight: t.Weight, UsePrivateIP: t.UsePrivateIP, Labels: t.Labels,
		}
		if target.Key() == "" {
			c.lose(simcloud.KindLoadBalancer, lb.Meta, "the target %s is left out: it is not in the topology", t.Instance)
			continue
		}
		spec.Targets = append(spec.Targets, target)
	}
	return spec
}

// vips has the addresses that a topology can ask for: those of networks, of version 4 where there are any, and the
// families of those of pools. Floating IPs say themselves where they are.
func (c *capture) vips(lb simcloud.LoadBalancer, spec *simcloud.LoadBalancerSpec) {
	for _, vip := range lb.VIPs {
		if vip.PTR != "" && vip.FloatingIP == "" {
			c.lose(simcloud.KindLoadBalancer, lb.Meta, "the PTR %s of %s is left out", vip.PTR, vip.Address)
		}
		switch {
		case lb.Placed(vip):
		case vip.Pool != "" && isV4(vip.Address):
			spec.PublicFamilies = append(spec.PublicFamilies, 4)
		case vip.Pool != "":
			spec.PublicFamilies = append(spec.PublicFamilies, 6)
		}
	}
	slices.Sort(spec.PublicFamilies)
	c.placements(lb, spec)
	for _, network := range lb.Networks() {
		asked := askedVIP(lb, network)
		if len(spec.Placements) > 0 && lb.Scheme == simcloud.SchemeInternal && network == lb.Network {
			continue
		}
		if lb.Scheme == simcloud.SchemeInternal && network == lb.Network {
			spec.Addresses = []string{asked.Address}
			continue
		}
		spec.Networks = append(spec.Networks, simcloud.NetworkAttachment{
			Network: c.name(simcloud.KindNetwork, network), Address: asked.Address, Subnet: c.name(simcloud.KindSubnet, asked.Subnet),
		})
	}
}

// placements has those that a topology can ask for: floating IPs are made after load balancers, and are attached to no placement.
func (c *capture) placements(lb simcloud.LoadBalancer, spec *simcloud.LoadBalancerSpec) {
	for _, p := range lb.Placements() {
		if p.FloatingIP != "" {
			c.lose(simcloud.KindLoadBalancer, lb.Meta, "the placement of %s is left out: it is attached without one", p.FloatingIP)
			continue
		}
		p.Subnet = c.name(simcloud.KindSubnet, p.Subnet)
		spec.Placements = append(spec.Placements, p)
	}
}

func askedVIP(lb simcloud.LoadBalancer, network simcloud.ID) (asked simcloud.VIP) {
	for _, vip := range lb.VIPs {
		if vip.Network == network && (asked.Address == "" || isV4(vip.Address)) {
			asked = vip
		}
	}
	return asked
}

func (c *capture) listener(lb simcloud.LoadBalancer, l simcloud.Listener) simcloud.ListenerSpec {
	spec := simcloud.ListenerSpec{Protocol: l.Protocol, Port: l.Port, ListenerConfig: l.ListenerConfig}
	spec.TargetGroup = c.name(simcloud.KindTargetGroup, l.TargetGroup)
	if len(l.Documents) > 0 {
		c.lose(simcloud.KindLoadBalancer, lb.Meta, "the documents of the listener %s are left out", l.ID)
		spec.Documents = nil
	}
	return spec
}

func (c *capture) targetGroup(g simcloud.TargetGroup) simcloud.TargetGroupSpec {
	spec := simcloud.TargetGroupSpec{
		Name: g.Name, Labels: g.Labels, Network: c.name(simcloud.KindNetwork, g.Network), Protocol: g.Protocol, Port: g.Port, HealthCheck: g.HealthCheck,
		ProxyProtocol: g.ProxyProtocol, Options: g.Options, PartOf: c.name(simcloud.KindLoadBalancer, g.PartOf),
	}
	for _, t := range g.Targets {
		target := t.GroupTargetSpec
		if target.Instance = c.name(simcloud.KindInstance, t.Instance); target.Key() == "" {
			c.lose(simcloud.KindTargetGroup, g.Meta, "the target %s is left out: it is not in the topology", t.Instance)
			continue
		}
		spec.Targets = append(spec.Targets, target)
	}
	return spec
}

// floatingIP does not ask for its address: load balancers are made before, and may get it.
func (c *capture) floatingIP(f simcloud.FloatingIP) simcloud.FloatingIPSpec {
	spec := simcloud.FloatingIPSpec{
		Name: f.Name, Labels: f.Labels, Pool: f.Pool, PTR: f.PTR, Protected: f.Protected, Options: f.Options,
	}
	if id := c.name(f.AttachedTo.Kind, f.AttachedTo.ID); id != "" {
		spec.AttachedTo = simcloud.Attachment{Kind: f.AttachedTo.Kind, ID: id}
	}
	return spec
}
