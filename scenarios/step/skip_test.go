package step_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestSkippedInProcess: what a part of this process cannot bear is not done to it.
func TestSkippedInProcess(t *testing.T) {
	t.Parallel()
	for spec, skipped := range map[string]bool{
		"steps: [{ccm: restart}, {ccm: renewToken}, {ccm: {get: /metrics, capture: m}}]": false,
		"steps: [{ccm: {start: {flags: [--v=5]}}}]":                                      false,
		"steps: [{ccm: kill}]":                                                                    true,
		"steps: [{sleep: 1ms}]\n  finally: [{ccm: resume}]":                                       true,
		"steps: [{ccm: {standby: start}}]":                                                        true,
		"steps: [{ccm: {killAt: {operation: CreateLoadBalancer, when: after}}}]":                  true,
		"ccm: {flags: [--feature-gates=A=true]}\n  steps: [{sleep: 1ms}]":                         true,
		"ccm: stopped\n  steps: [{ccm: {start: {flags: [--feature-gates=A=true]}}}]":              true,
		"ccm: {flags: [--leader-elect=false]}\n  steps: [{sleep: 1ms}]\n  finally: [{ccm: stop}]": false,
	} {
		isUnfit(t, spec, func(w *step.World) { w.InProcess = true }, skipped)
	}
}

// TestSkippedWithoutProgram: no other program runs in the place of a CCM that is not a program.
func TestSkippedWithoutProgram(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{
		"steps: [{ccm: stop}, {ccm: {start: {binary: ./v2}}}]", "ccm: {binary: ./v2}\n  steps: [{sleep: 1ms}]", "steps: [{sleep: 1ms}]\n  finally: [{ccm: {start: {binary: ''}}}]",
	} {
		isUnfit(t, spec, func(w *step.World) { w.InProcess = true }, true)
		isUnfit(t, spec, func(w *step.World) { w.Simulated = true }, true)
		isUnfit(t, spec, func(w *step.World) { w.InCluster = true }, true)
		isUnfit(t, spec, func(*step.World) {}, false)
	}
}

// TestSkippedInCluster: who has as many pods as a manifest says has no second replica of the harness.
func TestSkippedInCluster(t *testing.T) {
	t.Parallel()
	for spec, skipped := range map[string]bool{
		"steps: [{ccm: restart}, {ccm: pause}, {ccm: resume}, {ccm: kill}]":                 false,
		"steps: [{ccm: {killAt: {operation: CreateLoadBalancer, when: after}}}]":            false,
		"steps: [{ccm: {standby: start}}]":                                                  true,
		"steps: [{sleep: 1ms}]\n  finally: [{ccm: {standby: stop}}]":                        true,
		"steps: [{ccm: {failover: kill}}]":                                                  true,
		"ccm: {flags: [--feature-gates=A=true]}\n  steps: [{ccm: {start: {flags: [--x]}}}]": false,
	} {
		isUnfit(t, spec, func(w *step.World) { w.InCluster = true }, skipped)
	}
}

// TestKnownIssueOfAnother: what asserts a known issue is run with the CCM of its profile alone.
func TestKnownIssueOfAnother(t *testing.T) {
	t.Parallel()
	c := steptest.NewCluster(t)
	w, err := c.World()
	if err != nil {
		t.Fatal(err)
	}
	all, err := run.Parse("s.yaml", []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: one}\nspec:\n  description: d\n"+
		"  knownIssue: {profile: hcloud, issues: [249, 86], cloud: It waits., ccm: It waits too.}\n  steps: [{sleep: 1ms}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, runs := range map[string]bool{"": false, "simcloud": false, "hcloud": true} {
		w.Profile = name
		reason := step.Unfit(all[0], w)
		if (reason == "") != runs || !runs && !strings.Contains(reason, "(hcloud#249, #86): --profile hcloud runs it") {
			t.Errorf("profile %q: %q, want it to run: %t", name, reason, runs)
		}
	}

	w.Profile = "simcloud"
	all[0].KnownIssue.Fixed = true
	if reason := step.Unfit(all[0], w); !strings.Contains(reason, "it asserts a fixed issue") {
		t.Errorf("the reason is %q: want it to say that the issue is fixed", reason)
	}
}

// isUnfit wants a scenario to be unfit for a kind of CCM, or not, and fit for a process.
func isUnfit(t *testing.T, spec string, change func(*step.World), want bool) {
	t.Helper()
	all, err := run.Parse("s.yaml", []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: one}\nspec:\n  description: d\n  "+spec+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := steptest.NewCluster(t).World()
	if err != nil {
		t.Fatal(err)
	}
	if reason := step.Unfit(all[0], w); reason != "" {
		t.Errorf("%s: a process is unfit: %s", spec, reason)
	}
	change(&w)
	if reason := step.Unfit(all[0], w); (reason != "") != want {
		t.Errorf("%s: skipped because %q, want it to be: %t", spec, reason, want)
	}
}

// TestPackets: a scenario that needs pods with traffic is skipped where there is none, with the reason.
func TestPackets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Passes(t, packets(t, c, `  - expect: testImage == "testserver:1"`+"\n"))
		c.NoPackets = true
		r := packets(t, c, "  - machine: {kill: \"${ns}\"}\n")
		if r.Status != scenarios.Skipped || !strings.Contains(r.Reason, "--backend kind") {
			t.Errorf("it is %s: %q, want it skipped", r.Status, r.Reason)
		}
		if got := c.Control.Said(); got != "" {
			t.Errorf("it did: %s", got)
		}
	})
}
