package run

import "testing"

// TestForeignOracleSpeaksTheDialect: a Service names resources as its cloud shows them, and what it does not name is not
// its to change.
func TestForeignOracleSpeaksTheDialect(t *testing.T) {
	t.Parallel()
	const uuid = "00000000-0000-4005-8000-000000000001"
	names := func(key, value string) map[string]any {
		return map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}, "spec": map[string]any{"type": "LoadBalancer"}}
	}
	for _, c := range []struct{ dialect, key, value, want string }{
		{"aws", "service.beta.kubernetes.io/aws-load-balancer-eip-allocations", "eipalloc-7,eipalloc-1", ""},
		{"aws", "service.beta.kubernetes.io/aws-load-balancer-eip-allocations", "eipalloc-2", `has changed floating_ip/fip-1 (eipalloc-1) "reserved"`},
		{"aws", "example.com/any", uuid, "has changed floating_ip/fip-1"},
		{"openstack", "loadbalancer.openstack.org/floating-ip", uuid, ""},
		{"openstack", "example.com/any", "eipalloc-1", "has changed floating_ip/fip-1 (" + uuid + ")"},
		{"hcloud", "load-balancer.hetzner.cloud/floating-ip", "1", ""},
		{"hcloud", "load-balancer.hetzner.cloud/health-check-retries", "1", "has changed floating_ip/fip-1 (1)"},
	} {
		t.Run(c.dialect+" "+c.value, func(t *testing.T) {
			t.Parallel()
			says(t, try(t, speaking("foreign-kept", c.dialect), func(r *trial) {
				r.service("web", names(c.key, c.value))
				r.ccm.attachAddress(reserved, r.ccm.createPublicBalancer())
			}), c.want)
		})
	}
	t.Run("a load balancer by its ARN", func(t *testing.T) {
		t.Parallel()
		says(t, try(t, speaking("foreign-kept", "aws"), func(r *trial) {
			lb := r.harness.createPublicBalancer()
			r.service("web", names("example.com/lb", "arn:aws:elasticloadbalancing:region-1:1:loadbalancer/net/x/"+string(lb)))
			r.ccm.labelBalancer(lb, "mine")
		}), "")
	})
	t.Run("a load balancer by its UUID", func(t *testing.T) {
		t.Parallel()
		says(t, try(t, speaking("foreign-kept", "openstack"), func(r *trial) {
			lb := r.harness.createPublicBalancer()
			r.service("web", names("loadbalancer.openstack.org/load-balancer-id", "00000000-0000-4004-8000-000000000001"))
			r.ccm.labelBalancer(lb, "mine")
		}), "")
	})
}

// TestNodesOfADialect: the providerID of a Node ends with the id of its VM as its cloud shows it.
func TestNodesOfADialect(t *testing.T) {
	t.Parallel()
	for dialect, providerID := range map[string]string{
		"aws": "aws:///zone-a/i-1", "hcloud": "hcloud://1", "openstack": "openstack:///00000000-0000-4001-8000-000000000001",
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			says(t, judged(t, speaking("node-kept", dialect), func(r *trial) {
				r.node("unlike", map[string]any{})
				r.node("unlike", map[string]any{"spec": map[string]any{"providerID": providerID}})
				r.gone("nodes", "unlike")
			}), "was deleted while its VM i-1 exists")
		})
	}
}
