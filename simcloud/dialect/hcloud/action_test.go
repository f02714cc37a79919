package hcloud_test

import (
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestActionsAreListed: a list has those that it names, as far as they exist, in the order that it asks for.
func TestActionsAreListed(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.service(lb, 80, 30080)
	instance := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.does("add_target")(w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(1, false)))
	w.does("add_route")(w.hetz.Network.AddRoute(t.Context(), &hcloud.Network{ID: 1}, hcloud.NetworkAddRouteOpts{
		Route: hcloud.NetworkRoute{Destination: cidr(t, "10.244.1.0/24"), Gateway: addressOf(instance, simcloud.ScopePrivate)},
	}))
	opts := hcloud.ActionListOpts{ID: []int64{5, 1, 2, 4, 3, 999}, Sort: []string{"status", "id:asc"}}
	actions := must[[]*hcloud.Action](t)(w.hetz.Action.AllWithOpts(t.Context(), opts))
	want := []struct{ command, of string }{
		{"create_load_balancer", "load_balancer"}, {"add_service", "load_balancer"}, {"create_server", "server"},
		{"add_target", "load_balancer"}, {"add_route", "network"},
	}
	if len(actions) != len(want) {
		t.Fatalf("got %d actions, want %d", len(actions), len(want))
	}
	for i, a := range actions {
		if a.ID != int64(i+1) || a.Command != want[i].command || a.Status != hcloud.ActionStatusSuccess || a.Resources[0].ID != 1 || string(a.Resources[0].Type) != want[i].of {
			t.Errorf("action %d is %+v of %+v, want %+v", i, a, a.Resources, want[i])
		}
	}
	w.refuses("GET", "actions", "", 410, "deprecated_api_endpoint")
	w.refuses("GET", "actions?id=x", "", 422, "invalid_input")
	w.refuses("GET", "actions/999", "", 404, "not_found")
}

// TestActionsByPolls: where an operation takes a number of reads, each list of it counts one.
func TestActionsByPolls(t *testing.T) {
	t.Parallel()
	w := open(t)
	progression := simcloud.Progression{Mode: simcloud.ProgressionPolls, Polls: 3}
	must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Progression: &progression}))
	made := got[hcloud.LoadBalancerCreateResult](t)(w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a", LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "zone-a"},
	}))
	reads := 0
	err := w.hetz.Action.WaitForFunc(t.Context(), func(a *hcloud.Action) error {
		reads++
		return nil
	}, made.Action)
	if err != nil || reads != 3 {
		t.Errorf("it took %d reads, %v", reads, err)
	}
}

// TestFailedAction: an operation that fails is an action that ends in error.
func TestFailedAction(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.fault("CreateLoadBalancer", `{"state": {"to": "error", "after": "1s"}}`)
	made := got[hcloud.LoadBalancerCreateResult](t)(w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a", LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "zone-a"},
	}))
	must[simcloud.ClockStatus](t)(w.native.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Second)))
	err := w.hetz.Action.WaitFor(t.Context(), made.Action)
	var failed hcloud.ActionError
	if !asActionError(err, &failed) || failed.Code != "action_failed" || failed.Message == "" {
		t.Errorf("got %v", err)
	}
	if w.balancerNow(made.LoadBalancer.ID) == nil {
		t.Error("the load balancer does not exist")
	}
}
