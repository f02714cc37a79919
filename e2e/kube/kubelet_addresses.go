package main

import (
	"fmt"
	"net/netip"
)

// podAddresses hands out the addresses of a node's pod CIDRs, one of each
// CIDR to a pod. It goes round, so that a freed address is reused last.
type podAddresses struct {
	pools []addressPool
	owned map[string][]netip.Addr // by pod sandbox
}

type addressPool struct {
	prefix netip.Prefix
	last   netip.Addr // the address given last
	taken  map[netip.Addr]bool
}

// newPodAddresses has no addresses until use says where they are from.
func newPodAddresses() *podAddresses { return &podAddresses{owned: map[string][]netip.Addr{}} }

func newAddressPool(p netip.Prefix) addressPool {
	first := p.Masked().Addr().Next() // the network's own address, then the gateway's
	return addressPool{prefix: p.Masked(), last: first, taken: map[netip.Addr]bool{}}
}

// use changes to other CIDRs. Pods that run keep their addresses.
func (a *podAddresses) use(cidrs []string) error {
	pools := make([]addressPool, 0, len(cidrs))
	for _, cidr := range cidrs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return fmt.Errorf("pod CIDR: %w", err)
		}
		pools = append(pools, newAddressPool(prefix))
	}
	a.pools = pools
	return nil
}

// take gives pod its addresses; a pod that has some keeps them.
func (a *podAddresses) take(pod string) ([]netip.Addr, error) {
	if addrs, ok := a.owned[pod]; ok {
		return addrs, nil
	}
	var addrs []netip.Addr
	for i := range a.pools {
		addr, err := a.pools[i].take()
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, addr)
	}
	a.owned[pod] = addrs
	return addrs, nil
}

func (a *podAddresses) free(pod string) {
	for _, addr := range a.owned[pod] {
		for i := range a.pools {
			delete(a.pools[i].taken, addr)
		}
	}
	delete(a.owned, pod)
}

func (p *addressPool) take() (netip.Addr, error) {
	first := p.prefix.Addr().Next().Next()
	addr := p.last
	for range 1 << 16 { // more than a node has pods
		addr = addr.Next()
		if !p.usable(addr) {
			addr = first
		}
		if p.usable(addr) && !p.taken[addr] {
			p.taken[addr], p.last = true, addr
			return addr, nil
		}
	}
	return netip.Addr{}, fmt.Errorf("pod CIDR %s has no free address", p.prefix)
}

// usable leaves out what is not in the CIDR, and the last IPv4 address, which is the broadcast address.
func (p *addressPool) usable(addr netip.Addr) bool {
	return p.prefix.Contains(addr) && (addr.Is6() || p.prefix.Contains(addr.Next()))
}
