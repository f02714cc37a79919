package dataplane

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Loopback is what the addresses of this machine's own are in. A packet
// to them never leaves this machine.
func Loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// reach is where targets may be. The addresses of a cloud are simulated: outside
// of the agreed ranges, other hosts may have them.
type reach []netip.Prefix

func (r reach) has(addr netip.Addr) bool {
	return slices.ContainsFunc(r, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

// within are the addresses that may be sent to.
func (r reach) within(all []netip.Addr) []netip.Addr {
	return slices.DeleteFunc(slices.Clone(all), func(addr netip.Addr) bool { return !r.has(addr) })
}

// refusal says why nothing is sent to a machine with these addresses; empty when something may be.
func (r reach) refusal(all []netip.Addr) string {
	if len(all) == 0 {
		return "the instance has no private address"
	}
	if len(r.within(all)) > 0 {
		return ""
	}
	return fmt.Sprintf("%s is not in the networks that targets may be in: %s", all[0], r)
}

// String lists the networks.
func (r reach) String() string {
	var parts []string
	for _, p := range r {
		parts = append(parts, p.String())
	}
	return strings.Join(parts, ", ")
}
