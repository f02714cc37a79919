package sim_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestDialectIDs: what a dialect shows leads back to the same resource, and to none of another kind that has forms of its own.
func TestDialectIDs(t *testing.T) {
	t.Parallel()
	prefixes := map[simcloud.Kind]string{
		simcloud.KindInstance: "i-", simcloud.KindNetwork: "net-", simcloud.KindSubnet: "subnet-", simcloud.KindLoadBalancer: "lb-",
		simcloud.KindFloatingIP: "fip-", simcloud.KindSecurityGroup: "sg-", simcloud.KindRouteTable: "rt-", simcloud.KindTargetGroup: "tg-",
		simcloud.KindDocument: "doc-", simcloud.KindOperation: "op-", simcloud.KindVolume: "vol-", simcloud.KindInstanceType: "small-",
	}
	for _, d := range sim.Dialects() {
		for _, form := range d.IDs {
			if prefixes[form.Kind] == "" {
				t.Fatalf("%s shows ids of the kind %s, which this test does not know", d.Name, form.Kind)
			}
		}
		for kind, prefix := range prefixes {
			id := simcloud.ID(prefix + "17")
			shown := d.IDs.Shown(kind, id)
			if !d.IDs.Are(kind, id, shown) || d.IDs.Are(kind, simcloud.ID(prefix+"18"), shown) {
				t.Errorf("%s shows %s as %q, which leads to %q", d.Name, id, shown, d.IDs.ID(kind, shown))
			}
		}
	}
}

// TestDialectIDsAsClientsWriteThem pins the forms that users put into annotations and configurations.
func TestDialectIDsAsClientsWriteThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dialect, text string
		kind          simcloud.Kind
		id            simcloud.ID
	}{
		{"aws", "eipalloc-1", simcloud.KindFloatingIP, "fip-1"},
		{"aws", "eipassoc-1", simcloud.KindFloatingIP, "fip-1"},
		{"aws", "vpc-2", simcloud.KindNetwork, "net-2"},
		{"aws", "rtb-3", simcloud.KindRouteTable, "rt-3"},
		{"aws", "sg-4", simcloud.KindSecurityGroup, "sg-4"},
		{"aws", "i-5", simcloud.KindInstance, "i-5"},
		{"aws", "vpc-x", simcloud.KindNetwork, ""},
		{"aws", "eipalloc-1", simcloud.KindNetwork, ""},
		{"aws", "arn:aws:elasticloadbalancing:region-1:123456789012:loadbalancer/net/web/lb-7", simcloud.KindLoadBalancer, "lb-7"},
		{"aws", "arn:aws:elasticloadbalancing:region-1:123456789012:targetgroup/web/8", simcloud.KindTargetGroup, "tg-8"},
		{"hcloud", "9", simcloud.KindLoadBalancer, "lb-9"},
		{"hcloud", "lb-9", simcloud.KindLoadBalancer, ""},
		{"hcloud", "09", simcloud.KindLoadBalancer, ""},
		{"openstack", "00000000-0000-4004-8000-000000000001", simcloud.KindLoadBalancer, "lb-1"},
		{"openstack", "00000000-0000-400c-8000-000000000001", simcloud.KindLoadBalancer, "lb-1"},
		{"openstack", "00000000-0000-400a-8000-000000000001", simcloud.KindNetwork, "net-1"},
		{"openstack", "00000000-0000-4005-8000-000000000002", simcloud.KindFloatingIP, "fip-2"},
		{"openstack", "00000000-0000-4004-8000-000000000001", simcloud.KindFloatingIP, ""},
	} {
		if got := idsOf(t, c.dialect).ID(c.kind, c.text); got != c.id {
			t.Errorf("%s: the %s %q is %q, want %q", c.dialect, c.kind, c.text, got, c.id)
		}
	}
}

// TestDialectIDsInAnnotations: a number is an id only where the key of the annotation is about such ids.
func TestDialectIDsInAnnotations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dialect, key, word string
		want               bool
	}{
		{"hcloud", "load-balancer.hetzner.cloud/id", "3", true},
		{"hcloud", "load-balancer.hetzner.cloud/health-check-retries", "3", false},
		{"openstack", "loadbalancer.openstack.org/load-balancer-id", "00000000-0000-4004-8000-000000000003", true},
		{"aws", "example.com/any", "lb-3", true},
	} {
		if got := idsOf(t, c.dialect).Names(simcloud.KindLoadBalancer, "lb-3", c.key, c.word); got != c.want {
			t.Errorf("%s: %s: %s names lb-3: %t, want %t", c.dialect, c.key, c.word, got, c.want)
		}
	}
}

func idsOf(t *testing.T, name string) dialect.IDs {
	t.Helper()
	for _, d := range sim.Dialects() {
		if d.Name == name {
			return d.IDs
		}
	}
	t.Fatalf("there is no dialect %s", name)
	return nil
}
