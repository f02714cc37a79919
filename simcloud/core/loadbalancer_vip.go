package core

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

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
	vips, owner := []simcloud.VIP{}, store.Ref{Kind: simcloud.KindLoadBalancer, ID: id}
	for _, p := range ranges {
		var address string
		if i := slices.IndexFunc(wanted, func(text string) bool { return has(p, text) }); i >= 0 {
			address, err = t.claimFrom(ranges, wanted[i], owner)
		} else {
			address, err = t.allocate(p, owner)
		}
		if err != nil {
			return nil, err
		}
		vips = append(vips, simcloud.VIP{Address: address})
	}
	return vips, nil
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
