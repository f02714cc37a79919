package call

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestKeysTellServicesSpecsAndGenerationsApart(t *testing.T) {
	t.Parallel()
	c := &Creator[simcloud.LoadBalancerSpec, simcloud.LoadBalancer]{Kind: simcloud.KindLoadBalancer}
	a, b := simcloud.LoadBalancerSpec{Name: "a"}, simcloud.LoadBalancerSpec{Name: "b"}
	keys := map[string]bool{c.key("u", a, 0): true, c.key("u", b, 0): true, c.key("v", a, 0): true, c.key("u", a, 1): true}
	if len(keys) != 4 || !keys[c.key("u", a, 0)] {
		t.Errorf("keys: %v, want four that stay the same", keys)
	}
}
