package hcloud_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// balancer makes a load balancer with Hetzner's library and waits for it.
func (w world) balancer(name string) *hcloud.LoadBalancer {
	w.Helper()
	made := got[hcloud.LoadBalancerCreateResult](w)(w.hetz.LoadBalancer.Create(w.Context(), hcloud.LoadBalancerCreateOpts{
		Name: name, LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "zone-b"},
		Labels: map[string]string{"a": "b"},
	}))
	w.waits(made.Action)
	return w.balancerNow(made.LoadBalancer.ID)
}

func (w world) balancerNow(id int64) *hcloud.LoadBalancer {
	w.Helper()
	lb := got[*hcloud.LoadBalancer](w)(w.hetz.LoadBalancer.GetByID(w.Context(), id))
	if lb == nil {
		w.Fatalf("the load balancer %d does not exist", id)
	}
	return lb
}

// waits waits until an action has succeeded.
func (w world) waits(a *hcloud.Action) {
	w.Helper()
	if err := w.hetz.Action.WaitFor(w.Context(), a); err != nil {
		w.Fatalf("%s: %v", a.Command, err)
	}
}

// does waits for the action of a call that must succeed, and checks its command.
func (w world) does(command string) func(a *hcloud.Action, _ *hcloud.Response, err error) {
	return func(a *hcloud.Action, _ *hcloud.Response, err error) {
		w.Helper()
		if err != nil {
			w.Fatalf("%s: %v", command, err)
		}
		w.waits(a)
		if a.Command != command {
			w.Errorf("the action is %s, want %s", a.Command, command)
		}
	}
}

func TestLoadBalancerIsMade(t *testing.T) {
	t.Parallel()
	w := open(t)
	for name, by := range map[string]*hcloud.LoadBalancerType{"by-name": {Name: "lb21"}, "by-id": {ID: 2}} {
		made := got[hcloud.LoadBalancerCreateResult](t)(w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
			Name: name, LoadBalancerType: by, NetworkZone: "region-1", Labels: map[string]string{"hcloud-ccm/service-uid": "u-1"},
			Algorithm: &hcloud.LoadBalancerAlgorithm{Type: hcloud.LoadBalancerAlgorithmTypeLeastConnections},
		}))
		w.waits(made.Action)
		lb := w.balancerNow(made.LoadBalancer.ID)
		if lb.Name != name || lb.LoadBalancerType.Name != "lb21" || lb.LoadBalancerType.MaxTargets != 75 || lb.Location.Name != "zone-a" {
			t.Errorf("%s: it is %+v of type %+v in %+v", name, lb, lb.LoadBalancerType, lb.Location)
		}
		if !maps.Equal(lb.Labels, map[string]string{"hcloud-ccm/service-uid": "u-1"}) || lb.Algorithm.Type != hcloud.LoadBalancerAlgorithmTypeLeastConnections {
			t.Errorf("%s: its labels are %v, its algorithm %s", name, lb.Labels, lb.Algorithm.Type)
		}
		if !lb.PublicNet.Enabled || lb.PublicNet.IPv4.IP.To4() == nil || lb.PublicNet.IPv6.IP.To4() != nil || lb.PublicNet.IPv6.IP == nil || len(lb.PrivateNet) != 0 {
			t.Errorf("%s: its addresses are %+v, %+v", name, lb.PublicNet, lb.PrivateNet)
		}
		if made.Action.Command != "create_load_balancer" || made.Action.Resources[0].ID != lb.ID || made.Action.Resources[0].Type != hcloud.ActionResourceTypeLoadBalancer {
			t.Errorf("%s: its action is %+v", name, made.Action)
		}
	}
	if native := must[simcloud.LoadBalancer](t)(w.native.GetLoadBalancer(t.Context(), "lb-1")); native.Class != "lb21" || len(native.VIPs) != 2 {
		t.Errorf("the cloud has %+v", native)
	}
}

func TestLoadBalancerRefusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	for body, want := range map[string]string{
		`{"load_balancer_type":"lb11","location":"zone-a"}`:                                                                                 "invalid_input",
		`{"name":"a","location":"zone-a"}`:                                                                                                  "invalid_input",
		`{"name":"a","load_balancer_type":"lb11"}`:                                                                                          "invalid_input",
		`{"name":"a","load_balancer_type":"lb11","location":"zone-a","network_zone":"region-1"}`:                                            "invalid_input",
		`{"name":"a","load_balancer_type":"lb12","location":"zone-a"}`:                                                                      "invalid_input",
		`{"name":"a","load_balancer_type":9,"location":"zone-a"}`:                                                                           "invalid_input",
		`{"name":"a","load_balancer_type":true,"location":"zone-a"}`:                                                                        "invalid_input",
		`{"name":"a","load_balancer_type":"lb11","location":"moon"}`:                                                                        "invalid_input",
		`{"name":"a","load_balancer_type":"lb11","network_zone":"moon"}`:                                                                    "invalid_input",
		`{"name":"a","load_balancer_type":"lb11","location":"zone-a","algorithm":{"type":"dice"}}`:                                          "invalid_input",
		`{"name":"a","load_balancer_type":"lb11","location":"zone-a","labels":{"hetzner.cloud/a":"b"}}`:                                     "invalid_input",
		`{"name":"a","load_balancer_type":"lb11","location":"zone-a","services":[{"protocol":"udp","listen_port":1,"destination_port":1}]}`: "invalid_input",
		`{"name":"a","load_balancer_type":"lb11","location":"zone-a","targets":[{"type":"server","server":{"id":9}}]}`:                      "invalid_input",
	} {
		w.refuses("POST", "load_balancers", body, 422, want)
	}
	if lbs := must[[]*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.All(t.Context())); len(lbs) != 0 {
		t.Errorf("there are %d load balancers", len(lbs))
	}
}

// TestUniqueNames: where the cloud wants names to be unique, a second load balancer of a name is refused.
func TestUniqueNames(t *testing.T) {
	t.Parallel()
	w := open(t)
	unique := []simcloud.Kind{simcloud.KindLoadBalancer, simcloud.KindInstance}
	must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{UniqueNames: &unique}))
	w.balancer("a")
	other := w.balancer("b")
	_, _, err := w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a", LoadBalancerType: &hcloud.LoadBalancerType{ID: 1}, Location: &hcloud.Location{Name: "zone-a"},
	})
	refused(t, err, hcloud.ErrorCodeUniquenessError)
	_, _, err = w.hetz.LoadBalancer.Update(t.Context(), other, hcloud.LoadBalancerUpdateOpts{Name: "a"})
	refused(t, err, hcloud.ErrorCodeUniquenessError)
}

func TestLoadBalancersAreChosen(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 3 {
		w.balancer(fmt.Sprintf("lb-%d", i))
	}
	two := got[*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.GetByName(t.Context(), "lb-1"))
	if two == nil || two.ID != 2 {
		t.Errorf("by name: %+v", two)
	}
	got[*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.Update(t.Context(), two, hcloud.LoadBalancerUpdateOpts{Labels: map[string]string{"c": "d"}}))
	opts := hcloud.LoadBalancerListOpts{ListOpts: hcloud.ListOpts{LabelSelector: "c=d"}}
	if lbs := must[[]*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.AllWithOpts(t.Context(), opts)); len(lbs) != 1 || lbs[0].ID != 2 {
		t.Errorf("by label: %+v", lbs)
	}
}

// TestLoadBalancerUpdate: PUT replaces the labels, and nothing that Hetzner does not show is lost.
func TestLoadBalancerUpdate(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	updated := got[*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.Update(t.Context(), lb, hcloud.LoadBalancerUpdateOpts{
		Name: "b", Labels: map[string]string{"x": "y"},
	}))
	if updated.Name != "b" || !maps.Equal(updated.Labels, map[string]string{"x": "y"}) || updated.Location.Name != "zone-b" {
		t.Errorf("updated to %+v", updated)
	}
	if !updated.PublicNet.IPv4.IP.Equal(lb.PublicNet.IPv4.IP) || !updated.PublicNet.IPv6.IP.Equal(lb.PublicNet.IPv6.IP) {
		t.Errorf("its addresses are %+v, want %+v", updated.PublicNet, lb.PublicNet)
	}
	w.refuses("PUT", "load_balancers/1", `{"labels":{"hetzner.cloud/location":"moon"}}`, 422, "invalid_input")
	w.refuses("PUT", "load_balancers/9", `{"name":"c"}`, 404, "not_found")
	w.does("change_algorithm")(w.hetz.LoadBalancer.ChangeAlgorithm(t.Context(), lb, hcloud.LoadBalancerChangeAlgorithmOpts{Type: "least_connections"}))
	if now := w.balancerNow(lb.ID); now.Algorithm.Type != "least_connections" || now.Name != "b" {
		t.Errorf("after change_algorithm it is %+v", now)
	}
	w.refuses("POST", "load_balancers/1/actions/change_algorithm", `{"type":"dice"}`, 422, "invalid_input")
}

// TestChangeType: a load balancer gets another class, by name or number, unless it has more than that takes.
func TestChangeType(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.does("change_type")(w.hetz.LoadBalancer.ChangeType(t.Context(), lb, hcloud.LoadBalancerChangeTypeOpts{LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb21"}}))
	if now := w.balancerNow(lb.ID); now.LoadBalancerType.Name != "lb21" || now.LoadBalancerType.MaxServices != 15 {
		t.Errorf("after change_type it is a %+v", now.LoadBalancerType)
	}
	for port := range 6 {
		w.service(lb, 81+port, 80)
	}
	w.refuses("POST", "load_balancers/1/actions/change_type", `{"load_balancer_type":"lb11"}`, 422, "invalid_load_balancer_type")
	w.refuses("POST", "load_balancers/1/actions/change_type", `{"load_balancer_type":"lb12"}`, 422, "invalid_input")
	w.refuses("POST", "load_balancers/1/actions/change_type", `{}`, 422, "invalid_input")
	if now := w.balancerNow(lb.ID); now.LoadBalancerType.Name != "lb21" {
		t.Errorf("after a refusal it is a %+v", now.LoadBalancerType)
	}
}

func TestLoadBalancerDeletion(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	protected := true
	must[simcloud.Result[simcloud.LoadBalancer]](t)(w.native.UpdateLoadBalancer(t.Context(), "lb-1", simcloud.LoadBalancerUpdate{Protected: &protected}))
	if now := w.balancerNow(lb.ID); !now.Protection.Delete {
		t.Errorf("it is %+v", now.Protection)
	}
	_, err := w.hetz.LoadBalancer.Delete(t.Context(), lb)
	refused(t, err, hcloud.ErrorCodeProtected)
	protected = false
	must[simcloud.Result[simcloud.LoadBalancer]](t)(w.native.UpdateLoadBalancer(t.Context(), "lb-1", simcloud.LoadBalancerUpdate{Protected: &protected}))
	if res, err := w.hetz.LoadBalancer.Delete(t.Context(), lb); err != nil || res.StatusCode != 204 {
		t.Errorf("delete: %v", err)
	}
	_, err = w.hetz.LoadBalancer.Delete(t.Context(), lb)
	refused(t, err, hcloud.ErrorCodeNotFound)
}

// TestLoadBalancerTakesTime: an action runs until the cloud is done, and until then others answer locked.
func TestLoadBalancerTakesTime(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Minute), simtest.ManualClock())
	made := got[hcloud.LoadBalancerCreateResult](t)(w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a", LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "zone-a"},
	}))
	if made.Action.Status != hcloud.ActionStatusRunning || !made.Action.Finished.IsZero() || made.LoadBalancer.PublicNet.IPv4.IP == nil {
		t.Fatalf("made %+v by %+v", made.LoadBalancer, made.Action)
	}
	_, _, err := w.hetz.LoadBalancer.ChangeAlgorithm(t.Context(), made.LoadBalancer, hcloud.LoadBalancerChangeAlgorithmOpts{Type: "least_connections"})
	refused(t, err, hcloud.ErrorCodeLocked)
	_, _, err = w.hetz.LoadBalancer.Update(t.Context(), made.LoadBalancer, hcloud.LoadBalancerUpdateOpts{Name: "b"})
	refused(t, err, hcloud.ErrorCodeConflict)
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Minute)))
	w.waits(made.Action)
	if a := got[*hcloud.Action](t)(w.hetz.Action.GetByID(t.Context(), made.Action.ID)); a.Status != hcloud.ActionStatusSuccess || a.Progress != 100 || a.Finished.IsZero() {
		t.Errorf("in the end it is %+v", a)
	}
	// A deletion has no action to wait for: it has happened when it is answered, unless it is to go wrong.
	w.fault("DeleteLoadBalancer", `{"state": {"to": "error", "after": "1s"}}`)
	if _, err := w.hetz.LoadBalancer.Delete(t.Context(), made.LoadBalancer); err != nil || must[simcloud.LoadBalancer](t)(w.native.GetLoadBalancer(t.Context(), "lb-1")).State != simcloud.LoadBalancerDeleting {
		t.Errorf("a deletion that goes wrong: %v", err)
	}
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Second)))
	if err := w.native.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.hetz.LoadBalancer.Delete(t.Context(), made.LoadBalancer); err != nil {
		t.Error(err)
	}
	if lb, err := w.native.GetLoadBalancer(t.Context(), "lb-1"); simcloud.CodeOf(err) != simcloud.NotFound {
		t.Errorf("it is there after its deletion: %+v, %v", lb, err)
	}
}
