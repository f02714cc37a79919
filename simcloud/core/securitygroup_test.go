package core_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestSecurityGroupGoneMeanwhile: a change that fails brings the groups of before back, but none that was
// deleted while it ran.
func TestSecurityGroupGoneMeanwhile(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	var ids []simcloud.ID
	for _, name := range []string{"a", "b", "c"} {
		made := must[simcloud.Result[simcloud.SecurityGroup]](t)(cloud.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{Name: name}))
		ids = append(ids, made.Resource.ID)
	}
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb", SecurityGroups: ids[:2]}))
	settle()
	update := simcloud.LoadBalancerUpdate{SecurityGroups: &[]simcloud.ID{ids[2]}}
	r := must[lbResult](t)(cloud.UpdateLoadBalancer(failing(t, simcloud.Unavailable), "lb-1", update))
	must[simcloud.Operation](t)(cloud.DeleteSecurityGroup(t.Context(), ids[0]))
	settle()
	failed(t, cloud, r.Operation.ID, "UpdateLoadBalancer failed: load_balancer/lb-1 is active")
	if got := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1")).SecurityGroups; len(got) != 1 || got[0] != ids[1] {
		t.Errorf("its groups are %v, want %s", got, ids[1])
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
