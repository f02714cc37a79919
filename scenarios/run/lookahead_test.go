package run_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// quickSpec is a scenario in which the CCM reacts to a new instance at once: after
// the harness has made the instance, and before any expectation is evaluated.
const quickSpec = `ccm: stopped
  skipOracles: [foreign-kept, leak]
  steps:
  - cloud: {operation: CreateLoadBalancer, args: {name: web, labels: {kept: "yes"}}}
  - expect: loadBalancers.size() == 1
  - cloud: {operation: CreateInstance, args: {name: new}}
`

// quick runs quickSpec with more steps, and a CCM that does this.
func quick(t *testing.T, steps string, ccm func(label func(string), c *steptest.Cluster)) (r scenarios.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		label := func(value string) {
			c.Cloud.Must(t)(c.Cloud.CCM.UpdateLoadBalancer(t.Context(), "lb-1", simcloud.LoadBalancerUpdate{Labels: &map[string]string{"kept": value}}))
		}
		c.After("CreateInstance", func(map[string]any) error { ccm(label, c); return nil })
		r = runtest.PerformSpec(t, c, quickSpec+steps)
	})
	return r
}

// flicker takes away what must stay, and gives it back.
func flicker(label func(string), _ *steptest.Cluster) { label("no"); label("yes") }

// TestJudgesSinceTheStepThatActs: what a CCM does while a step acts is judged by the expectation after it.
func TestJudgesSinceTheStepThatActs(t *testing.T) {
	t.Parallel()
	const kept = `label(loadBalancers[0], "kept") == "yes"`
	for name, test := range map[string]struct{ steps, says string }{
		"meanwhile": {"  - {expect: instances.size() == 1 && elapsed > duration('1s'), within: 3s, meanwhile: '" + kept + "'}\n",
			"meanwhile must be true all the time, and was false"},
		"holds": {"  - {expect: '" + kept + "', holds: 1s}\n", "did not stay true for 1s"},
		"never": {`  - {expect: '!(` + kept + `)', never: 1s}` + "\n", "must never be true, and was"},
		"after a capture": {"  - capture: {lb: 'loadBalancers[0].id'}\n  - {expect: '" + kept + " && lb == \"lb-1\"', holds: 1s}\n",
			"did not stay true for 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := quick(t, test.steps, flicker)
			runtest.Fails(t, r, test.says)
			if len(r.Failures) > 0 && !strings.Contains(strings.Join(r.Failures[0].Calls, "\n"), "UpdateLoadBalancer") {
				t.Errorf("the calls since the step that acted are not shown: %q", r.Failures[0].Calls)
			}
		})
	}
}

// TestJudgesNothingBeforeTheStep: what the step itself brings about, and what comes after the expectation was met, is no fault.
func TestJudgesNothingBeforeTheStep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		steps string
		ccm   func(func(string), *steptest.Cluster)
	}{
		"not true before the step":  {"  - {expect: instances.size() == 1, holds: 1s}\n", flicker},
		"true before the step":      {"  - {expect: instances.size() == 0, never: 1s}\n  - {expect: instances.size() == 1, holds: 1s}\n", flicker},
		"an expectation in between": {"  - expect: instances.size() == 1\n  - {expect: 'label(loadBalancers[0], \"kept\") == \"yes\"', holds: 1s}\n", flicker},
		"met, and then over": {
			"  - {expect: 'label(loadBalancers[0], \"kept\") != \"yes\"', within: 1s, meanwhile: 'label(loadBalancers[0], \"kept\") != \"over\"'}\n",
			func(label func(string), _ *steptest.Cluster) { label("met"); label("over"); label("met") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runtest.Passes(t, quick(t, test.steps, test.ccm))
		})
	}
}
