package core

import (
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// networkPools returns the pools of a network's ranges, of which its subnets
// are not a part, and the pools of the subnets.
func (t *txn) networkPools(network simcloud.Network) (ranges, subnets []pool, err error) {
	found, err := store.Subnets.Referring(t.tx, store.Ref{Kind: simcloud.KindNetwork, ID: network.ID})
	if err != nil {
		return nil, nil, err
	}
	var taken []netip.Prefix
	for _, subnet := range found {
		prefix, err := netip.ParsePrefix(subnet.CIDR)
		if err != nil {
			return nil, nil, err
		}
		taken = append(taken, prefix)
		subnets = append(subnets, subnetPool(network.ID, subnet.ID, prefix))
	}
	slices.SortFunc(taken, func(a, b netip.Prefix) int { return a.Addr().Compare(b.Addr()) })
	for _, cidr := range network.CIDRs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return nil, nil, err
		}
		ranges = append(ranges, newPool(string(network.ID)+"/"+cidr, prefix, taken...))
	}
	return ranges, subnets, nil
}

func subnetPool(network, subnet simcloud.ID, prefix netip.Prefix) pool {
	p := newPool(string(network)+"/"+string(subnet), prefix)
	p.subnet = subnet
	return p
}

// privatePools returns where an instance in a network, and perhaps a subnet of
// it, has its private addresses from: one pool for each family.
func (t *txn) privatePools(network simcloud.Network, subnet simcloud.ID) ([]pool, error) {
	pools, subnets, err := t.networkPools(network)
	if err != nil || subnet == "" {
		return pools, err
	}
	i := slices.IndexFunc(subnets, func(p pool) bool { return p.subnet == subnet })
	if i < 0 {
		return nil, store.Subnets.NotFound(subnet)
	}
	for n, p := range pools {
		if p.prefix.Overlaps(subnets[i].prefix) {
			pools[n] = subnets[i]
		}
	}
	return pools, nil
}

// releasePrivate releases an address that the owner has from a network or a subnet of it.
func (t *txn) releasePrivate(network simcloud.ID, address string, owner store.Ref) error {
	found, err := store.Networks.Get(t.tx, network)
	if err != nil {
		return err
	}
	ranges, subnets, err := t.networkPools(found)
	if err != nil {
		return err
	}
	return t.releaseFrom(append(ranges, subnets...), address, owner)
}
