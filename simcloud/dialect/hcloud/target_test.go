package hcloud_test

import (
	"fmt"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func serverTarget(id int64, private bool) hcloud.LoadBalancerAddServerTargetOpts {
	return hcloud.LoadBalancerAddServerTargetOpts{Server: &hcloud.Server{ID: id}, UsePrivateIP: &private}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.service(lb, 80, 30080)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2", NoPublicAddress: true})
	w.does("add_target")(w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(1, false)))
	targets := w.balancerNow(lb.ID).Targets
	if len(targets) != 1 || targets[0].Type != hcloud.LoadBalancerTargetTypeServer || targets[0].Server.Server.ID != 1 || targets[0].UsePrivateIP {
		t.Fatalf("the targets are %+v", targets)
	}
	if h := targets[0].HealthStatus; len(h) != 1 || h[0].ListenPort != 80 || h[0].Status != hcloud.LoadBalancerTargetHealthStatusStatusHealthy {
		t.Errorf("its health is %+v", h)
	}
	if s := got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), 1)); len(s.LoadBalancers) != 1 || s.LoadBalancers[0].ID != lb.ID {
		t.Errorf("the server has %+v", s.LoadBalancers)
	}
	_, _, err := w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(1, false))
	refused(t, err, hcloud.ErrorCodeTargetAlreadyDefined)
	_, _, err = w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(2, false))
	refused(t, err, hcloud.ErrorCodeMissingIPv4)
	_, _, err = w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(2, true))
	refused(t, err, hcloud.ErrorCodeLoadBalancerNotAttachedToNetwork)
	_, _, err = w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(9, false))
	refused(t, err, hcloud.ErrorCodeInvalidInput)
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-1"))
	if h := w.balancerNow(lb.ID).Targets[0].HealthStatus[0]; h.Status != hcloud.LoadBalancerTargetHealthStatusStatusUnhealthy {
		t.Errorf("when the server is off its health is %+v", h)
	}
	w.does("remove_target")(w.hetz.LoadBalancer.RemoveServerTarget(t.Context(), lb, &hcloud.Server{ID: 1}))
	_, _, err = w.hetz.LoadBalancer.RemoveServerTarget(t.Context(), lb, &hcloud.Server{ID: 1})
	refused(t, err, hcloud.ErrorCodeNotFound)
	const path = "load_balancers/1/actions/add_target"
	for body, code := range map[string]string{
		`{}`: "invalid_input", `{"type":"server"}`: "invalid_input", `{"type":"pod"}`: "invalid_input",
		`{"type":"label_selector","label_selector":{"selector":"a=b"}}`: "unsupported_error",
	} {
		w.refuses("POST", path, body, 422, code)
	}
}

// TestTargetLimit: lb11 takes 25 targets.
func TestTargetLimit(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	for i := range 26 {
		instance := w.instance(simcloud.InstanceSpec{Name: fmt.Sprintf("node-%d", i)})
		_, _, err := w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(int64(i+1), false))
		switch {
		case i < 25 && err != nil:
			t.Fatalf("%s: %v", instance.ID, err)
		case i == 25:
			refused(t, err, hcloud.ErrorCodeResourceLimitExceeded)
		}
	}
}
