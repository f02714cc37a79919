package cli

import (
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestSetPTR: the public addresses of an instance and of a load balancer, which the cloud chooses, get names.
func TestSetPTR(t *testing.T) {
	cloud, c := simtest.Open(t)
	t.Setenv("SIMCLOUD_ENDPOINT", cloud.URL())
	t.Setenv("SIMCLOUD_TOKEN", cloud.Token())
	vm, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"})
	if err != nil {
		t.Fatal(err)
	}
	lb, err := c.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "web", PublicFamilies: []int{4}})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range vm.Resource.Addresses {
		if a.Scope != simcloud.ScopePublic {
			continue
		}
		if code, _, errs := simcloudMain("instance", "set-ptr", "node-1", a.Address, "node-1.example.com"); code != exit.CodeOK {
			t.Errorf("instance set-ptr: code %d: %s", code, errs)
		}
	}
	if code, _, errs := simcloudMain("lb", "set-ptr", "web", lb.Resource.VIPs[0].Address, "www.example.com"); code != exit.CodeOK {
		t.Errorf("lb set-ptr: code %d: %s", code, errs)
	}
	named, err := c.GetInstance(t.Context(), vm.Resource.ID)
	if err != nil {
		t.Fatal(err)
	}
	balanced, err := c.GetLoadBalancer(t.Context(), lb.Resource.ID)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range named.Addresses {
		if a.PTR != "" {
			names = append(names, a.PTR)
		}
	}
	if len(names) != 1 || names[0] != "node-1.example.com" || balanced.VIPs[0].PTR != "www.example.com" {
		t.Errorf("the instance has the names %q, the load balancer %+v", names, balanced.VIPs)
	}
}
