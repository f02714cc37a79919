package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// losesAddress reports whether a network, subnet or zone that a load balancer has an address of is to be deleted.
func (s *seeding) losesAddress(lb simcloud.LoadBalancer) bool {
	return slices.ContainsFunc(lb.VIPs, func(vip simcloud.VIP) bool {
		return s.goes[store.Ref{Kind: simcloud.KindNetwork, ID: vip.Network}] || s.goes[store.Ref{Kind: simcloud.KindSubnet, ID: vip.Subnet}] ||
			s.goes[store.Ref{Kind: simcloud.KindZone, ID: vip.Zone}]
	})
}

// attachments puts ids in the place of names.
func (s *seeding) attachments(want []simcloud.NetworkAttachment) (_ []simcloud.NetworkAttachment, err error) {
	want = slices.Clone(want)
	for i := range want {
		path := seedPath("networks", i)
		if want[i].Network, err = named(s, store.Networks, path+"network", want[i].Network); err != nil {
			return nil, err
		}
		if want[i].Subnet, err = named(s, store.Subnets, path+"subnet", want[i].Subnet); err != nil {
			return nil, err
		}
	}
	return want, nil
}

// updateNetworks changes an attachment by detaching the network and attaching it again.
func (s *seeding) updateNetworks(have simcloud.LoadBalancer, want simcloud.LoadBalancerSpec) (simcloud.LoadBalancer, error) {
	for _, network := range have.Networks() {
		own := have.Scheme == simcloud.SchemeInternal && network == have.Network
		if own || slices.ContainsFunc(want.Networks, func(a simcloud.NetworkAttachment) bool { return a.Network == network && attachedAs(have, a) }) {
			continue
		}
		r, err := s.do.DetachLoadBalancerNetwork(s.ctx, have.ID, network)
		if err != nil {
			return have, err
		}
		have = r.Resource
	}
	for i, a := range want.Networks {
		if have.AttachedTo(a.Network) {
			continue
		}
		r, err := s.do.AttachLoadBalancerNetwork(s.ctx, have.ID, a)
		if err != nil {
			return have, inPart(seedPath("networks", i), err)
		}
		have = r.Resource
	}
	return have, nil
}

// attachedAs reports whether a load balancer has the addresses of a network that an attachment asks for.
func attachedAs(lb simcloud.LoadBalancer, a simcloud.NetworkAttachment) bool {
	return (a.Address == "" || listensOn(lb, []string{a.Address})) && slices.ContainsFunc(lb.VIPs, func(vip simcloud.VIP) bool {
		return vip.Network == a.Network && (a.Subnet == "" || vip.Subnet == a.Subnet)
	})
}

// losesNetwork reports whether a network or subnet to which an instance was attached is to be deleted.
func (s *seeding) losesNetwork(instance simcloud.Instance) bool {
	return slices.ContainsFunc(instance.Addresses, func(a simcloud.Address) bool {
		return s.goes[store.Ref{Kind: simcloud.KindNetwork, ID: a.Network}] || s.goes[store.Ref{Kind: simcloud.KindSubnet, ID: a.Subnet}]
	})
}

// bringNetworks changes an attachment of an instance by detaching the network and attaching it again.
func (s *seeding) bringNetworks(have simcloud.Instance, want simcloud.TopologyInstance) error {
	wanted, err := s.attachments(want.Networks)
	if err != nil {
		return err
	}
	for _, network := range have.Networks()[1:] {
		if slices.ContainsFunc(wanted, func(a simcloud.NetworkAttachment) bool { return a.Network == network && joinedAs(have, a) }) {
			continue
		}
		r, err := s.do.DetachInstanceNetwork(s.ctx, have.ID, network)
		if err != nil {
			return err
		}
		have = r.Resource
	}
	for i, a := range wanted {
		if have.AttachedTo(a.Network) {
			continue
		}
		if _, err := s.do.AttachInstanceNetwork(s.ctx, have.ID, a); err != nil {
			return inPart(seedPath("networks", i), err)
		}
	}
	return nil
}

// joinedAs reports whether an instance has the addresses of a network that an attachment asks for.
func joinedAs(instance simcloud.Instance, to simcloud.NetworkAttachment) bool {
	has := func(fits func(simcloud.Address) bool) bool {
		return slices.ContainsFunc(instance.Addresses, func(a simcloud.Address) bool { return a.Network == to.Network && fits(a) })
	}
	return (to.Address == "" || has(func(a simcloud.Address) bool { return spells(to.Address, a.Address) })) &&
		(to.Subnet == "" || has(func(a simcloud.Address) bool { return a.Subnet == to.Subnet }))
}
