package core_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// TestLoadBalancerEndsInError: a change that fails leaves the load balancer in
// error with a status text, and a failover repairs it.
func TestLoadBalancerEndsInError(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb"}))
	failing := simcloud.WithOverride(t.Context(), simcloud.Override{Outcome: simcloud.Outcome{State: string(simcloud.LoadBalancerError)}})
	r := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.FailoverLoadBalancer(failing, "lb-1"))
	if op := must[simcloud.Operation](t)(cloud.WaitOperation(t.Context(), r.Operation.ID)); op.State != simcloud.OperationFailed {
		t.Errorf("the operation is %s", op.State)
	}
	lb := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1"))
	if lb.State != simcloud.LoadBalancerError || lb.StatusText == "" {
		t.Errorf("the load balancer is %s and says %q", lb.State, lb.StatusText)
	}
	_, err := cloud.CreateListener(t.Context(), "lb-1", simcloud.ListenerSpec{
		Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 1},
	})
	wantCode(t, "a change", err, simcloud.Conflict)
	repaired := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.FailoverLoadBalancer(t.Context(), "lb-1")).Resource
	if repaired.State != simcloud.LoadBalancerActive || repaired.StatusText != "" {
		t.Errorf("after the failover it is %s and says %q", repaired.State, repaired.StatusText)
	}
}
