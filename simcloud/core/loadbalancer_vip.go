package core

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// firstVIPs hands out the addresses of a new load balancer.
func (t *txn) firstVIPs(lb simcloud.LoadBalancer, network simcloud.Network, spec simcloud.LoadBalancerSpec) ([]simcloud.VIP, error) {
	switch {
	case len(spec.Placements) > 0:
		return t.placedVIPs(lb, network, spec.Placements)
	case lb.Scheme == simcloud.SchemeInternal:
		return t.vipsFor(lb.ID, network, spec.Addresses)
	default:
		return t.publicVIPs(lb.ID, spec.PublicFamilies)
	}
}

// vipsFor hands out an address of each range of a network: the one that is
// wanted, if any is of that range, or else the next.
func (t *txn) vipsFor(id simcloud.ID, network simcloud.Network, wanted []string) ([]simcloud.VIP, error) {
	ranges, _, err := t.networkPools(network)
	if err != nil {
		return nil, err
	}
	if err := canHandOut(ranges, wanted); err != nil {
		return nil, err
	}
	return t.takeVIPs(id, network.ID, ranges, wanted)
}

// takeVIPs hands out an address of each pool of a network: the one that is
// wanted, if any is of that pool, or else the next.
func (t *txn) takeVIPs(id, network simcloud.ID, pools []pool, wanted []string) ([]simcloud.VIP, error) {
	addresses, err := t.takeFrom(pools, wanted, store.Ref{Kind: simcloud.KindLoadBalancer, ID: id})
	if err != nil {
		return nil, err
	}
	vips := make([]simcloud.VIP, len(pools))
	for i, p := range pools {
		vips[i] = simcloud.VIP{Address: addresses[i], Network: network, Subnet: p.subnet}
	}
	return vips, nil
}

// publicVIPs hands out a public address of each family, which is the load balancer's own.
func (t *txn) publicVIPs(id simcloud.ID, families []int) ([]simcloud.VIP, error) {
	pools, err := t.floatingPools()
	if err != nil {
		return nil, err
	}
	vips, owner := []simcloud.VIP{}, store.Ref{Kind: simcloud.KindLoadBalancer, ID: id}
	for i, family := range families {
		at := firstOf(pools, family)
		if at < 0 {
			return nil, invalid(string(simcloud.KindLoadBalancer), fmt.Sprintf("publicFamilies[%d]", i),
				"there is no pool of family %d: create one first", family)
		}
		address, err := t.allocate(pools[at], owner)
		if err != nil {
			return nil, err
		}
		vips = append(vips, simcloud.VIP{Address: address, Pool: pools[at].name})
	}
	return vips, nil
}

// firstOf is the place of the first pool of a family; -1: there is none.
func firstOf(pools []pool, family int) int {
	return slices.IndexFunc(pools, func(p pool) bool { return familyOf(p) == family })
}

// releaseVIP gives an address that is the load balancer's own back to where it is from.
func (t *txn) releaseVIP(lb simcloud.LoadBalancer, vip simcloud.VIP) error {
	switch {
	case vip.FloatingIP != "" || vip.Document != "":
		return nil
	case vip.Pool != "":
		return t.releaseFloating(vip.Pool, vip.Address)
	}
	return t.releasePrivate(vip.Network, vip.Address, store.Ref{Kind: simcloud.KindLoadBalancer, ID: lb.ID})
}

func canHandOut(ranges []pool, wanted []string) error {
	for i, text := range wanted {
		if !slices.ContainsFunc(ranges, func(p pool) bool { return has(p, text) }) {
			return invalid(string(simcloud.KindLoadBalancer), fmt.Sprintf("addresses[%d]", i),
				"%s cannot be allocated: must be an address of %s outside of all subnets", text, rangesOf(ranges))
		}
	}
	return nil
}

// has reports whether an address, however it is written, is one that the pool can hand out.
func has(p pool, text string) bool {
	addr, err := netip.ParseAddr(text)
	return err == nil && p.usable(addr)
}
