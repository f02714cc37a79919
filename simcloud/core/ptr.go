package core

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// setPTRs gives addresses their names in reverse DNS. of leads to the name of a
// public address that the resource has, or is nil.
func setPTRs(kind simcloud.Kind, names *map[string]string, of func(address string) *string) error {
	if names == nil {
		return nil
	}
	for _, text := range slices.Sorted(maps.Keys(*names)) {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return err
		}
		name := of(addr.String())
		if name == nil {
			return invalid(string(kind), "ptrs["+text+"]",
				"%s is not a public address of its own; a floating IP has a name itself", text)
		}
		*name = (*names)[text]
	}
	return nil
}

// vipPTR leads to the name of an address that is the load balancer's own.
func vipPTR(lb *simcloud.LoadBalancer) func(string) *string {
	return func(address string) *string {
		i := slices.IndexFunc(lb.VIPs, func(vip simcloud.VIP) bool { return vip.Address == address && vip.Pool != "" })
		if i < 0 {
			return nil
		}
		return &lb.VIPs[i].PTR
	}
}

// addressPTR leads to the name of a public address of an instance.
func addressPTR(instance *simcloud.Instance) func(string) *string {
	return func(address string) *string {
		i := slices.IndexFunc(instance.Addresses, func(a simcloud.Address) bool {
			return a.Address == address && a.Scope == simcloud.ScopePublic
		})
		if i < 0 {
			return nil
		}
		return &instance.Addresses[i].PTR
	}
}
