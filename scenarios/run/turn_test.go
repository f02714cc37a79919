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

func opens(c *steptest.Cluster) func(context.Context, int) (Cluster, error) {
	return func(context.Context, int) (Cluster, error) { return c, nil }
}

func endings(r scenarios.Report) []string {
	var all []string
	for _, s := range r.Scenarios {
		all = append(all, s.Name+" "+string(s.Status))
	}
	return all
}

// TestRunnerRepeats: each time has a name and a seed of its own, and the cluster gets the seed before.
func TestRunnerRepeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := steptest.NewCluster(t)
		report, out, err := runAll(t, t.Context(), Runner{Open: opens(cluster), Seed: 40, Repeat: 3},
			parsedScenario(t, "one", ""), parsedScenario(t, "two", ""))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"one#1 passed", "two#1 passed", "one#2 passed", "two#2 passed", "one#3 passed", "two#3 passed"}
		if diff := cmp.Diff(want, endings(report)); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, out)
		}
		if got := cluster.Control.Said(); got != "seed 41, seed 42" {
			t.Errorf("the cloud was told %q: it begins with the seed of the run", got)
		}
		if first, last := report.Scenarios[0].Seed, report.Scenarios[5].Seed; first != 40 || last != 42 {
			t.Errorf("seeds %d to %d", first, last)
		}
	})
}

// TestRunnerFailsFast: nothing begins after a failure.
func TestRunnerFailsFast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		report, out, err := runAll(t, t.Context(), Runner{Open: opens(steptest.NewCluster(t)), FailFast: true},
			parsedScenario(t, "one", ""), parsedScenario(t, "two", "- expect: 'false'"), parsedScenario(t, "three", ""))
		if diff := cmp.Diff([]string{"one passed", "two failed", "three not_run"}, endings(report)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s\n%s", err, diff, out)
		}
	})
}

// TestRunnerPauses: people look at a failure while all is as it was, once, and before anything is cleaned up.
func TestRunnerPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := steptest.NewCluster(t)
		var pauses []string
		r := Runner{Open: opens(cluster), Pause: func(_ context.Context, p Pause) {
			left := len(cluster.Cloud.State(t).LoadBalancers)
			pauses = append(pauses, p.Namespace+": "+p.Failure.Headline)
			if left != 1 || p.Access.Kubeconfig != "/kubeconfig" {
				t.Errorf("%d load balancers, access %+v", left, p.Access)
			}
		}}
		report, out, err := runAll(t, t.Context(), r,
			parsedScenario(t, "one", ""), parsedScenario(t, "two", "- expect: 'false'"), parsedScenario(t, "three", "- expect: '1 == 2'"))
		if err != nil || report.Count(scenarios.Failed) != 2 {
			t.Errorf("%v\n%s", err, out)
		}
		if len(pauses) != 2 || !strings.HasPrefix(pauses[0], "test-two: the expectation is false") || !strings.HasPrefix(pauses[1], "test-three: ") {
			t.Errorf("pauses: %q", pauses)
		}
	})
}

// TestRunnerTimeout: a run whose time is over ends as one that was interrupted, and says why.
func TestRunnerTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := errors.New("the run's time is over")
		ctx, end := context.WithCancelCause(t.Context())
		defer end(nil)
		cluster := steptest.NewCluster(t)
		cluster.When("GetInstance", func() { end(over) })
		report, out, err := runAll(t, ctx, Runner{Open: opens(cluster)},
			parsedScenario(t, "one", "- {expect: nodes.size() == 9, within: 60s}"), parsedScenario(t, "two", ""))
		if diff := cmp.Diff([]string{"one interrupted", "two not_run"}, endings(report)); diff != "" || !errors.Is(err, over) {
			t.Errorf("%v (-want +got):\n%s\n%s", err, diff, out)
		}
	})
}

// TestRunnerInterruptedBetween: an end while a cluster starts or is reset says nothing of the environment.
func TestRunnerInterruptedBetween(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, during := range []string{"start", "reset"} {
			ctx, interrupt := context.WithCancel(t.Context())
			cluster := steptest.NewCluster(t)
			if during == "reset" {
				cluster.Resetting = interrupt
			}
			report, out, err := runAll(t, ctx, Runner{Open: func(ctx context.Context, _ int) (Cluster, error) {
				if during == "start" {
					interrupt()
				}
				return cluster, ctx.Err()
			}}, parsedScenario(t, "one", ""), parsedScenario(t, "two", ""))
			interrupt()
			if report.Count(scenarios.Broken) != 0 || report.Count(scenarios.NotRun) == 0 || !errors.Is(err, context.Canceled) || strings.Contains(out, "cannot be used again") {
				t.Errorf("%s: %v, %v\n%s", during, err, endings(report), out)
			}
		}
	})
}
