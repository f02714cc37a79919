package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	steps "github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// failingAtFirst opens a fake cluster of a run whose scenarios fail for their first times: with a
// uid of Nodes that no scenario expects.
func failingAtFirst(t *testing.T, times int) func(context.Context, int) (Cluster, error) {
	opened := 0
	return func(context.Context, int) (Cluster, error) {
		c := steptest.NewCluster(t)
		if opened++; opened <= times {
			c.UID = "wrong"
		}
		return c, nil
	}
}

const expectsItsNode = `- {expect: 'nodes["node-1"].metadata.uid == "uid-node-1"'}`

// TestRetry: a scenario that fails is run once more on a cluster of its own, and the
// report tells a failure that went away from one that stayed.
func TestRetry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		fails, retries int
		want           string
		flaky          []string
	}{
		{"passes at once", 0, 1, "one passed", nil},
		{"fails once", 1, 1, "one passed", []string{"one"}},
		{"fails once, and may not be run again", 1, 0, "one failed", nil},
		{"fails twice", 2, 1, "one failed", nil},
		{"fails twice of three", 2, 2, "one passed", []string{"one"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				runner := Runner{Open: failingAtFirst(t, c.fails), Retries: c.retries, Dir: t.TempDir()}
				report, out, err := runAll(t, t.Context(), runner, parsedScenario(t, "one", expectsItsNode))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{c.want}, endings(report)); diff != "" {
					t.Errorf("endings (-want +got):\n%s\n%s", diff, out)
				}
				if diff := cmp.Diff(c.flaky, report.FlakyNames()); diff != "" {
					t.Errorf("flaky (-want +got):\n%s", diff)
				}
				result := report.Scenarios[0]
				if want := min(c.fails, c.retries); result.Retries != want || len(result.Flaked) != want {
					t.Errorf("%d retries and %d failures before, want %d", result.Retries, len(result.Flaked), want)
				}
				if c.flaky != nil {
					tellsOfAFlake(t, report)
				}
			})
		})
	}
}

// tellsOfAFlake wants every report to say what failed before it passed.
func tellsOfAFlake(t *testing.T, report scenarios.Report) {
	t.Helper()
	junit, err := reports.JUnit(report)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"JUnit": string(junit), "the summary": reports.Summary(report), "Markdown": reports.Markdown(report), "the end": reports.Finished(report.Scenarios[0]),
	} {
		if !strings.Contains(strings.ToLower(text), "flaky") {
			t.Errorf("%s does not tell of the flake:\n%s", what, text)
		}
	}
	if !strings.Contains(string(junit), "<flakyFailure") || strings.Contains(string(junit), "<failure") {
		t.Errorf("JUnit has no flakyFailure, or a failure:\n%s", junit)
	}
}

// TestRetryKeepsTheLogs: what the CCM said when its scenario failed is not written over.
func TestRetryKeepsTheLogs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, _, err := runAll(t, t.Context(), Runner{Open: failingAtFirst(t, 1), Retries: 1, Dir: dir}, parsedScenario(t, "one", expectsItsNode)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cluster-1-1", "cluster-retry-1"} {
		if _, err := os.Stat(filepath.Join(dir, "logs", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestScaled: on a slower machine all bounds are longer, and the results say how much.
func TestScaled(t *testing.T) {
	t.Parallel()
	s := parsedScenario(t, "one", "- {expect: 'true', within: 10s}\n  - {expect: 'true', holds: 3s}\n  - {sleep: 1s}")
	slower := steps.Scaled(s, 1.5)
	if slower.Timeout != s.Timeout*3/2 {
		t.Errorf("the scenario's timeout is %s, want one and a half of %s", slower.Timeout, s.Timeout)
	}
	for i, step := range s.Steps {
		if want := steps.TimeLimit(step) * 3 / 2; steps.TimeLimit(slower.Steps[i]) != want {
			t.Errorf("%s: %s, want %s", step.Text, steps.TimeLimit(slower.Steps[i]), want)
		}
	}
	if again := steps.Scaled(s, 1); again != s {
		t.Error("the scenario of an idle machine is another one")
	}
}

// TestRetryTakesNothingBack: a scenario that failed stays failed when its next run says nothing of the CCM.
func TestRetryTakesNothingBack(t *testing.T) {
	t.Parallel()
	for status, want := range map[scenarios.Status]scenarios.Status{
		scenarios.Passed: scenarios.Passed, scenarios.Failed: scenarios.Failed, scenarios.Undecided: scenarios.Failed, scenarios.Skipped: scenarios.Failed,
	} {
		r := &run{report: scenarios.Report{Scenarios: []scenarios.Result{{Name: "one", Status: scenarios.Failed, Failures: []scenarios.Failure{{Headline: "h"}}}}}}
		told := r.replace(scenarios.Result{Name: "one", Status: status})
		if kept := r.report.Scenarios[0]; kept.Status != want || told.Status != want || kept.Retries != 1 {
			t.Errorf("%s after failed is %s after %d retries, and %s is told: want %s", status, kept.Status, kept.Retries, told.Status, want)
		}
	}
}
