package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

var knownOne = scenarios.KnownFailures{{Scenario: "one", Issue: "acme/ccm#1", Why: "It asks once."}}

// TestKnownFailureIsNotRunAgain: a failure that is known has a status of its own, is not run
// again, and lets a run that fails fast go on; one that is not known is.
func TestKnownFailureIsNotRunAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		wrong := func(context.Context, int) (Cluster, error) {
			opened++
			c := steptest.NewCluster(t)
			c.UID = "wrong"
			return c, nil
		}
		runner := Runner{Open: wrong, Retries: 2, FailFast: true, Known: knownOne}
		report, out, err := runAll(t, t.Context(), runner, parsedScenario(t, "one", expectsItsNode), parsedScenario(t, "two", ""))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"one known_failure", "two passed"}, endings(report)); diff != "" {
			t.Errorf("endings (-want +got):\n%s\n%s", diff, out)
		}
		first, second := report.Scenarios[0], report.Scenarios[1]
		if opened != 1 || first.Retries != 0 || len(first.Failures) != 1 {
			t.Errorf("%d clusters, %d retries, failures %v; want one run, which failed", opened, first.Retries, first.Failures)
		}
		if first.Known == nil || first.Known.Issue != "acme/ccm#1" || second.Known != nil {
			t.Errorf("known are %v and %v, want the first alone", first.Known, second.Known)
		}
	})
}

// TestKnownFailureSays: a failure without the text of the entry is a failure, and tells that it is not the known one.
func TestKnownFailureSays(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]string{"expectation is false": "one known_failure", "no address": "one failed"} {
		synctest.Test(t, func(t *testing.T) {
			known := scenarios.KnownFailures{{Scenario: "one", Issue: "acme/ccm#1", Why: "It asks once.", Says: says}}
			report, _, err := runAll(t, t.Context(), Runner{Open: failingAtFirst(t, 1), Known: known}, parsedScenario(t, "one", expectsItsNode))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{want}, endings(report)); diff != "" {
				t.Errorf("%q: endings (-want +got):\n%s", says, diff)
			}
			one := report.Scenarios[0]
			told := strings.Contains(one.Failures[0].Headline, `not the known failure acme/ccm#1, which says "no address": `)
			if isKnown := one.Status == scenarios.KnownFailed; (one.Known != nil) != isKnown || told == isKnown {
				t.Errorf("%q: known is %v, its failure %v", says, one.Known, one.Failures)
			}
		})
	}
}

// TestKnownFailureThatPasses is passed, and in the list of what can be taken off.
func TestKnownFailureThatPasses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		report, _, err := runAll(t, t.Context(), Runner{Open: failingAtFirst(t, 0), Repeat: 2, Known: knownOne}, parsedScenario(t, "one", expectsItsNode))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"one#1", "one#2"}, report.PassedThoughKnown()); diff != "" {
			t.Errorf("passed, though known as failing (-want +got):\n%s", diff)
		}
	})
}

// TestKnownFailureThatIsBroken: an environment that failed is no known failure.
func TestKnownFailureThatIsBroken(t *testing.T) {
	t.Parallel()
	none := func(context.Context, int) (Cluster, error) { return nil, errors.New("no etcd") }
	report, _, err := runAll(t, t.Context(), Runner{Open: none, Known: knownOne}, parsedScenario(t, "one", ""))
	if err == nil || report.Scenarios[0].Status != scenarios.Broken || report.Scenarios[0].Known != nil {
		t.Errorf("%v, %+v", err, report.Scenarios)
	}
}
