package explore

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// TestNormal: what differs from run to run is taken out of a text, and what it says stays.
func TestNormal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"lb-12 web-1 state": "lb-N web-N state",
		"Service 6f1c2a52-0000-4000-8000-00000000abcd of node-1":           "Service ID of node-N",
		"127.77.0.1:80 refused, 10.0.0.0/8 not":                            "ADDR:N refused ADDR not",
		"address fd00:10:244::1 and fd00:10:96::a":                         "address ADDR and ADDR",
		"took 1.5s, then 2m3s, 300ms":                                      "took TIME then TIME",
		"nodes [node-1 node-2 node-3] are ready":                           "nodes node-N are ready",
		"web.18a3f0b27c11 was made":                                        "web.ID was made",
		"controller.go:302 syncing":                                        "controller.go:N syncing",
		"deadbeef is a word, as facade and decade are, and default is too": "deadbeef is a word as facade and decade are and default is too",
	} {
		if got := normal(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestFeatures: a run shows what it did, without ids and times.
func TestFeatures(t *testing.T) {
	t.Parallel()
	call := func(operation, resource string, status int64, code, effect string, write bool) any {
		return map[string]any{"operation": operation, "resource": resource, "status": status, "code": code, "effect": effect, "write": write}
	}
	r := scenarios.Result{
		CallValues: []any{
			call("ListInstances", "instance", 200, "", "", false),
			call("CreateLoadBalancer", "load_balancer/lb-1", 503, "unavailable", "error", true),
			call("CreateLoadBalancer", "load_balancer/lb-2", 0, "", "reset", true),
			call("GetInstance", "instance/i-1", 404, "not_found", "", false),
		},
		Steps: []scenarios.StepResult{{Passed: true, Seconds: 3}, {Passed: false}, {Passed: true, Finally: true}},
		Timeline: []scenarios.TimelineEntry{
			{Lane: scenarios.LaneCloud, Title: "lb-1 web state: pending → active", Detail: map[string]string{"state": "pending → active", "by": "x"}},
			{Lane: scenarios.LaneCloud, Title: "lb-1 web created", Detail: map[string]string{"state": "pending"}},
			{Lane: scenarios.LaneKube, Title: "node node-1 Ready: True → False", Detail: map[string]string{"Ready": "True → False"}},
			{Lane: scenarios.LaneKube, Title: "Event x", Detail: map[string]string{"type": "Warning", "reason": "SyncLoadBalancerFailed", "about": "service/web-1"}},
			{Lane: scenarios.LaneKube, Title: "restart", Detail: map[string]string{"step": "f:1"}},
			{Lane: scenarios.LaneLog, Title: "controller.go:302] error syncing 10.0.0.1 ×3", Detail: map[string]string{"level": "error"}},
			{Lane: scenarios.LaneCCM, Title: "the CCM runs"},
			{Lane: scenarios.LaneCCM, Title: "the CCM did not stay alive: exit status 2", Failed: true},
		},
		Failures: []scenarios.Failure{{Oracle: "node-kept", Headline: "node-3 was deleted"}},
	}
	s := &scenarios.Scenario{Steps: []scenarios.Step{{Because: "A CCM must do it."}, {Because: "And this."}}}
	want := []feature{
		"call CreateLoadBalancer reset lost",
		"call CreateLoadBalancer unavailable error failed",
		"call GetInstance not_found refused",
		"call ListInstances done",
		"ccm the CCM did not stay alive: exit status N",
		"cloud lb-N created",
		"cloud lb-N state pending → active",
		"event Warning SyncLoadBalancerFailed service",
		"failure oracle node-kept: node-N was deleted",
		"kube node Ready True → False",
		"log error controller.go:N error syncing ADDR",
		"promise A CCM must do it. soon",
		"promise And this. never",
		"then CreateLoadBalancer unavailable → CreateLoadBalancer",
	}
	if diff := cmp.Diff(want, featuresOf(s, r)); diff != "" {
		t.Error(diff)
	}
}

// TestFreshFeatures: a feature is new once, and is the rarer the fewer have shown it.
func TestFreshFeatures(t *testing.T) {
	t.Parallel()
	var c sights
	c.add([]feature{"a", "b"})
	if fresh := c.add([]feature{"b", "c"}); !slices.Equal(fresh, []feature{"c"}) {
		t.Errorf("new is %q", fresh)
	}
	if a, b, none := c.rarest([]feature{"a", "b"}), c.rarest([]feature{"b"}), c.rarest(nil); a != 1 || b != 2 || none != 0 {
		t.Errorf("%d, %d, %d", a, b, none)
	}
	if c.reached(0) || !c.reached(2) || c.reached(2) || c.reached(1) {
		t.Error("more code is not told from less")
	}
}

// TestFeaturesOfAHistory: what a history's file expects is a promise that is looked at.
func TestFeaturesOfAHistory(t *testing.T) {
	t.Parallel()
	all, err := run.Parse("h.yaml", History{Nodes: 1, Ops: []Op{check{part: partNodes}}}.write(title{name: "h", description: "d"}).text)
	if err != nil {
		t.Fatal(err)
	}
	got := featuresOf(all[0], scenarios.Result{Steps: []scenarios.StepResult{{Passed: true}}})
	if len(got) != 1 {
		t.Errorf("%q", got)
	}
}
