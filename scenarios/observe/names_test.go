package observe

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNames: what a text names is found by what it was called at some moment, and no other word is taken for a name.
func TestNames(t *testing.T) {
	t.Parallel()
	names := NewNames(nil)
	s := NewStore("default", names)
	for variable, name := range map[string]string{"nodes": "node-1", "services": "web", ServicesElsewhere: "dns", "pods": "calls", "leases": "made"} {
		s.SetObject(variable, name, map[string]any{"metadata": map[string]any{"name": name}})
		s.SetObject(variable, name, nil)
	}
	s.SetObject("services", "front", map[string]any{"metadata": map[string]any{"name": "front", "uid": "ca395edf-214e-425a-8fc5-d1de79a9e8c5"}})
	s.SetObject("nodes", "node-2", map[string]any{"metadata": map[string]any{"name": "node-2", "uid": "aaaaaaaa-214e-425a-8fc5-d1de79a9e8c5"}})
	address := func(text string) []any { return []any{map[string]any{"address": text}} }
	names.ResourceChanged("loadBalancers", "lb-1", nil, map[string]any{"name": "a0123", "vips": address("198.51.100.1")})
	names.ResourceChanged("loadBalancers", "lb-1", map[string]any{"vips": address("2001:db8::1")}, nil)
	names.ResourceChanged("instances", "i-1", nil, map[string]any{"name": "m", "hostname": "ip-10-0-0-4", "addresses": address("10.0.0.4")})
	names.ResourceChanged("floatingIPs", "fip-1", nil, map[string]any{"address": "203.0.113.5"})
	names.ResourceChanged("securityGroups", "sg-1", nil, map[string]any{"name": "default"})
	names.ResourceChanged("routeTables", "rt-1", nil, map[string]any{"routes": []any{map[string]any{"id": "r-1", "destination": "10.244.0.0/24"}}})
	for text, want := range map[string][]string{
		"the Service web has lost its address 198.51.100.1":                         {"web", "198.51.100.1"},
		"there were 2 load balancers for the Service web: lb-1, lb-10 and web.":     {"web", "lb-1"},
		`load_balancer/lb-1 "a0123": made by CreateLoadBalancer`:                    {"lb-1", "a0123"},
		"route/r-1 to 10.244.0.0/24 in route_table/rt-1":                            {"r-1", "10.244.0.0/24", "rt-1"},
		"the CCM has made calls of the kind default to m":                           nil,
		"kube-system/dns at 2001:db8::1, 203.0.113.5: 10.0.0.4":                     {"dns", "2001:db8::1", "203.0.113.5", "10.0.0.4"},
		"the Node node-1 was deleted while its VM i-1 (ip-10-0-0-4) exists":         {"node-1", "i-1", "ip-10-0-0-4"},
		`load_balancer/lb-1 "ns.front.ca395edf-214e-425a-8fc5-d1de79a9e8c5"`:        {"lb-1", "front"},
		"aca395edf214e425a8fc5, and aaaaaaaa214e425a8fc5d1de79a9e8c5 of no Service": {"front"},
		"security_group/sg-1 is left over":                                          {"sg-1"},
	} {
		if diff := cmp.Diff(want, names.In(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
