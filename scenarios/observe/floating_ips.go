package observe

import (
	"maps"
	"slices"
)

// knownByFloatingIPs returns load balancers without the addresses in networks of those that have floating IPs.
func knownByFloatingIPs(balancers []any) []any {
	shown := slices.Clone(balancers)
	for i, balancer := range balancers {
		lb, _ := balancer.(map[string]any)
		vips := List(lb["vips"])
		floating := slices.DeleteFunc(slices.Clone(vips), func(vip any) bool { return Dig(vip, "floatingIP") == nil })
		if len(floating) == 0 || len(floating) == len(vips) {
			continue
		}
		lb = maps.Clone(lb)
		lb["vips"] = floating
		shown[i] = lb
	}
	return shown
}
