package observe

import "testing"

func TestNaming(t *testing.T) {
	t.Parallel()
	vm := map[string]any{"id": "i-7", "name": "node-1", "zone": "zone-a", "region": "region-1"}
	for _, c := range []struct {
		naming                   Naming
		providerID, zone, region string
		named, other             string
	}{
		{Naming{}, "", "zone-a", "region-1", "any://region-1/i-7", "any://region-1/i-70"},
		{Naming{ProviderID: "hcloud://{number}", Region: "{zone}"}, "hcloud://7", "zone-a", "zone-a", "hcloud://7", "hcloud://i-7"},
		{Naming{ProviderID: "aws:///{zone}/{id}", Zone: "{zone}1"}, "aws:///zone-a/i-7", "zone-a1", "region-1", "aws:///zone-a/i-7", "aws:///zone-b/i-7"},
		{Naming{ProviderID: "openstack:///8000-{number:012}"}, "openstack:///8000-000000000007", "zone-a", "region-1", "openstack:///8000-000000000007", "openstack:///8000-7"},
	} {
		n := c.naming
		if got := n.ProviderIDOf(vm); got != c.providerID {
			t.Errorf("%+v: the providerID is %q, want %q", n, got, c.providerID)
		}
		if zone, region := n.ZoneOf(vm), n.RegionOf(vm); zone != c.zone || region != c.region {
			t.Errorf("%+v: zone %q and region %q, want %q and %q", n, zone, region, c.zone, c.region)
		}
		if !n.Names(c.named, vm) || n.Names(c.other, vm) || n.Names("", vm) {
			t.Errorf("%+v must name the VM by %q, and not by %q or nothing", n, c.named, c.other)
		}
	}
}
