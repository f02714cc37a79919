package run

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// perform runs a scenario with these steps in a fake cluster.
func perform(t *testing.T, c *steptest.Cluster, steps string) scenarios.Result {
	t.Helper()
	return performSpec(t, c, "ccm: stopped\n  steps:\n"+steps)
}

// performSpec is perform for the whole spec but its description.
func performSpec(t *testing.T, c *steptest.Cluster, spec string) scenarios.Result {
	t.Helper()
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: one}\nspec:\n  description: d\n  " + spec
	all, err := Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.World()
	if err != nil {
		t.Fatal(err)
	}
	return execute(t.Context(), w, all[0], 0, report.NewLines(t.Output(), true))
}

// passes fails the test when the scenario did not pass.
func passes(t *testing.T, r scenarios.Result) {
	t.Helper()
	if r.Status != scenarios.Passed {
		t.Errorf("it is %s: %s %v", r.Status, r.Error, r.Failures)
	}
}

// fails wants the scenario to have failed once, with these words.
func fails(t *testing.T, r scenarios.Result, says string) {
	t.Helper()
	if r.Status != scenarios.Failed || len(r.Failures) != 1 || !strings.Contains(r.Failures[0].String(), says) {
		t.Errorf("it is %s (%s), want it to fail with %q: %v", r.Status, r.Error, says, r.Failures)
	}
}
