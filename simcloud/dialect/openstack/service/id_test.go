package service_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// TestIDs: the id of a kind leads back to what it is of, and to nothing by another kind.
func TestIDs(t *testing.T) {
	t.Parallel()
	kinds := map[string]service.Kind{
		"i-": service.Servers, "net-": service.Networks, "subnet-": service.Subnets, "lb-": service.LoadBalancers, "fip-": service.FloatingIPs,
		"sg-": service.SecurityGroups, "rt-": service.Routers, "tg-": service.Pools,
	}
	seen := map[string]bool{}
	for prefix, kind := range kinds {
		for _, number := range []string{"1", "17", "999999999999", "18446744073709551615"} {
			id := simcloud.ID(prefix + number)
			uuid := kind.UUID(id)
			if got := kind.ID(uuid); got != id || seen[uuid] {
				t.Errorf("%s: %s leads to %q", id, uuid, got)
			}
			seen[uuid] = true
			for other, of := range kinds {
				if got := of.ID(uuid); other != prefix && got != "" {
					t.Errorf("%s is %q of another kind", uuid, got)
				}
			}
		}
	}
}

func TestIDsOfParts(t *testing.T) {
	t.Parallel()
	uuid := service.WholeSubnets.UUIDOfPart("net-7", 0xabc)
	if id, part := service.WholeSubnets.IDOfPart(uuid); id != "net-7" || part != 0xabc || uuid != "00000000-0000-400a-8abc-000000000007" {
		t.Errorf("%s leads to %s, %x", uuid, id, part)
	}
	uuid = service.Listeners.UUIDOfPort("lb-7", 65535, 5)
	if id, port, protocol := service.Listeners.IDOfPort(uuid); id != "lb-7" || port != 65535 || protocol != 5 {
		t.Errorf("%s leads to %s, %d, %d", uuid, id, port, protocol)
	}
}

// TestIDsOfNothing: what only looks like an id does not lead anywhere, so that nothing has two ids.
func TestIDsOfNothing(t *testing.T) {
	t.Parallel()
	for _, uuid := range []string{
		"", "x", "lb-7", "00000000-0000-4004-8000-00000000000x", "00000000-0000-4004-8000-7", "0-0-4004-8000-000000000007", "00000000-0000-4004-800-000000000007",
		"00000000-0000-4004-7000-000000000007", "00000000-0000-4004-8000-0000000000007", "+0000000-0000-4004-8000-000000000007", "00000000-0000-4004-8000-000000000007-1",
		"00000000-0000-4004-8000-00000000000A", "00000000-0000-4004-8xyz-000000000007",
	} {
		if id := service.LoadBalancers.ID(uuid); id != "" {
			t.Errorf("%q leads to %s", uuid, id)
		}
	}
}

func TestNamedIDs(t *testing.T) {
	t.Parallel()
	a, b := service.NamedUUID("network", "public"), service.NamedUUID("subnet", "public")
	if a == b || a != service.NamedUUID("network", "public") || len(a) != 36 || a[14] != '5' {
		t.Errorf("the ids are %s and %s", a, b)
	}
	if p := service.ProjectUUID("default"); len(p) != 32 || p == service.ProjectUUID("other") {
		t.Errorf("the project is %s", p)
	}
	if m := service.MAC("i-1"); m == service.MAC("i-2") || len(m) != 17 {
		t.Errorf("the address is %s", m)
	}
}
