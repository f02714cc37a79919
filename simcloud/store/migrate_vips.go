package store

import (
	"encoding/json"
	"slices"
)

// nameVIPNetworks lets the addresses of load balancers name their network: until
// then those with neither floating IP nor pool were of the load balancer's.
func nameVIPNetworks(tx *Tx) error {
	all, err := LoadBalancers.All(tx)
	if err != nil {
		return err
	}
	for _, before := range all {
		lb := before
		lb.VIPs = slices.Clone(before.VIPs)
		for i := range lb.VIPs {
			if vip := &lb.VIPs[i]; vip.FloatingIP == "" && vip.Pool == "" {
				vip.Network = lb.Network
			}
		}
		if slices.Equal(before.VIPs, lb.VIPs) {
			continue
		}
		if err := LoadBalancers.rewrite(tx, before, &lb); err != nil {
			return err
		}
	}
	return nil
}

// rewrite replaces a resource by what it means: its version and time stay, and there is no event.
func (b Bucket[T, P]) rewrite(tx *Tx, before T, v P) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return b.keep(tx, b.key(tx, v.GetMeta().ID), &before, v, raw)
}
