package core

import (
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// defaultNetworkCIDR is the range of the default network, unless the cloud is
// configured with another.
const defaultNetworkCIDR = "10.0.0.0/16"

// ranges are those that the default topology of a cloud has in place of
// every cloud's.
type ranges struct {
	networks []string // of the default network
	floating []netip.Prefix
}

// ranges returns those that the cloud is configured with, or why it cannot have them.
func (cfg Config) ranges() (ranges, error) {
	r := ranges{networks: slices.Clone(cfg.Networks)}
	if len(r.networks) > 0 {
		if err := (simcloud.NetworkSpec{Name: "default", CIDRs: r.networks}).Validate(); err != nil {
			return r, err
		}
	}
	for _, cidr := range cfg.FloatingCIDRs {
		if err := (simcloud.FloatingIPPoolSpec{Name: FloatingPool, CIDR: cidr}).Validate(); err != nil {
			return r, err
		}
		prefix := netip.MustParsePrefix(cidr) // the spec is valid
		if err := r.takesPool(prefix); err != nil {
			return r, err
		}
		r.floating = append(r.floating, prefix)
	}
	return r, nil
}

// takesPool reports why floating IPs cannot come from a range.
func (r ranges) takesPool(prefix netip.Prefix) error {
	for _, other := range r.floating {
		if other.Addr().Is4() == prefix.Addr().Is4() {
			return invalid(string(simcloud.KindFloatingIPPool), "cidr", "%s is of the same family as %s: at most one of each family is allowed", prefix, other)
		}
	}
	for _, p := range publicPools() {
		if p.prefix.Overlaps(prefix) {
			return invalid(string(simcloud.KindFloatingIPPool), "cidr", "%s overlaps the public addresses of instances (%s)", prefix, p.prefix)
		}
	}
	return nil
}

// network returns the ranges of the default network.
func (r ranges) network() []string {
	if len(r.networks) == 0 {
		return []string{defaultNetworkCIDR}
	}
	return slices.Clone(r.networks)
}

// pool returns the range of floating IPs that is of the same family as the usual one.
func (r ranges) pool(usual string) string {
	for _, prefix := range r.floating {
		if prefix.Addr().Is4() == netip.MustParsePrefix(usual).Addr().Is4() {
			return prefix.String()
		}
	}
	return usual
}
