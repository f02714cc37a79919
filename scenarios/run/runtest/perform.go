// Package runtest runs scenarios on fake clusters, for the tests of what takes part in a run.
package runtest

import (
	"context"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// Perform runs a scenario with these steps in a fake cluster.
func Perform(t *testing.T, c *steptest.Cluster, steps string) scenarios.Result {
	t.Helper()
	return PerformSpec(t, c, "ccm: stopped\n  steps:\n"+steps)
}

// PerformSpec is [Perform] for the whole spec but its description.
func PerformSpec(t *testing.T, c *steptest.Cluster, spec string) scenarios.Result {
	t.Helper()
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: one}\nspec:\n  description: d\n  " + spec
	all, err := run.Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := run.Runner{
		Open:     func(context.Context, int) (run.Cluster, error) { return c, nil },
		Reporter: report.NewLines(t.Output(), true),
	}
	done, _ := r.Run(t.Context(), all[:1]) // a failure of the environment is in the result too
	return done.Scenarios[0]
}

// Passes fails the test when the scenario did not pass.
func Passes(t *testing.T, r scenarios.Result) {
	t.Helper()
	if r.Status != scenarios.Passed {
		t.Errorf("it is %s: %s %v", r.Status, r.Error, r.Failures)
	}
}

// Fails wants the scenario to have failed once, with these words.
func Fails(t *testing.T, r scenarios.Result, says string) {
	t.Helper()
	if r.Status != scenarios.Failed || len(r.Failures) != 1 || !strings.Contains(r.Failures[0].String(), says) {
		t.Errorf("it is %s (%s), want it to fail with %q: %v", r.Status, r.Error, says, r.Failures)
	}
}
