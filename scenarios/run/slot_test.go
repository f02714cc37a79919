package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// mortal is a fake cluster that is lost when a scenario asks its cloud for an instance, if it is to be.
func mortal(t *testing.T, doomed bool) *steptest.Cluster {
	t.Helper()
	c := steptest.NewCluster(t)
	alive, lose := context.WithCancelCause(context.Background())
	t.Cleanup(func() { lose(nil) })
	c.Life = alive
	if doomed {
		c.When("GetInstance", func() { lose(errors.New("etcd was killed")) })
	}
	return c
}

// opensInTurn opens clusters one after the other.
func opensInTurn(all ...*steptest.Cluster) func(context.Context, int) (Cluster, error) {
	return func(context.Context, int) (Cluster, error) {
		if len(all) == 0 {
			return nil, errors.New("there is no more cluster")
		}
		c := all[0]
		all = all[1:]
		return c, nil
	}
}

const waitsForNothing = `- {expect: nodes.size() == 9, within: 60s}`

// TestRunnerLosesACluster: what ran on it has no verdict, starts again on another one, and the run is valid.
func TestRunnerLosesACluster(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lost, next := mortal(t, true), mortal(t, false)
		lost.UID = "doomed" // so that the step waits on it until its loss is heard of, however late that is
		report, out, err := runAll(t, t.Context(), Runner{Open: opensInTurn(lost, next)},
			parsedScenario(t, "one", `- {expect: 'nodes["node-1"].metadata.uid == "uid-node-1"', within: 60s}`), parsedScenario(t, "two", ""))
		if diff := cmp.Diff([]string{"one passed", "two passed"}, endings(report)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s\n%s", err, diff, out)
		}
		if got := strings.Join(lost.Did, " "); got != "stop" {
			t.Errorf("the lost cluster did %s: it must not be reset", got)
		}
		if got := strings.Join(next.Did, " "); got != "reset stop" {
			t.Errorf("the next cluster did %s", got)
		}
		for _, want := range []string{"one starts again on another cluster, because its cluster was lost", "cannot be used again, a new one starts: etcd was killed"} {
			if !strings.Contains(out, want) {
				t.Errorf("the output lacks %q:\n%s", want, out)
			}
		}
	})
}

// TestRunnerLosesEachCluster: a scenario under which clusters die is told apart, and the others go on.
func TestRunnerLosesEachCluster(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		report, out, err := runAll(t, t.Context(), Runner{Open: opensInTurn(mortal(t, true), mortal(t, true), mortal(t, false))},
			parsedScenario(t, "one", waitsForNothing), parsedScenario(t, "two", ""))
		if diff := cmp.Diff([]string{"one broken", "two passed"}, endings(report)); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, out)
		}
		if want := "one: 2 clusters were lost while it ran; the last one: etcd was killed"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if len(report.Scenarios[0].Failures) > 0 {
			t.Errorf("failures of the CCM: %v", report.Scenarios[0].Failures)
		}
	})
}

// TestRunnerFindsNoOtherCluster: without another one the environment has failed.
func TestRunnerFindsNoOtherCluster(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		report, _, err := runAll(t, t.Context(), Runner{Open: opensInTurn(mortal(t, true))},
			parsedScenario(t, "one", waitsForNothing), parsedScenario(t, "two", ""))
		if diff := cmp.Diff([]string{"one broken", "two not_run"}, endings(report)); diff != "" || err == nil || !strings.Contains(err.Error(), "there is no more cluster") {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}
