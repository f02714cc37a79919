package explore

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// Runner runs the scenarios of histories. It has places, which count from 0 and are used at the same time, each by
// one scenario.
type Runner interface {
	// Run runs a scenario at a place, in a world that no other one has left anything in. It returns an error
	// when the environment failed, or ctx ended; the CCM is never the cause of one.
	Run(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error)
	// Renew discards what a place keeps from one scenario to the next: the next one has a world that nothing has used.
	Renew(ctx context.Context, place int) error
	// Close ends all that is kept. Nothing runs then.
	Close(ctx context.Context) error
}

// RunFunc is a Runner that keeps nothing: each scenario has a world of its own.
type RunFunc func(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error)

// Run runs a scenario.
func (f RunFunc) Run(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
	return f(ctx, place, s)
}

// Renew does nothing: each world is new.
func (RunFunc) Renew(context.Context, int) error { return nil }

// Close does nothing: no world is left.
func (RunFunc) Close(context.Context) error { return nil }

// OnClusters runs scenarios on clusters. Each place keeps one, which is emptied before the next scenario. Open
// starts the cluster of a slot, which has the number of its place.
func OnClusters(open func(ctx context.Context, slot int) (run.Cluster, error), seed uint64) Runner {
	return &onClusters{pool: &run.Pool{Start: open}, seed: seed}
}

type onClusters struct {
	pool *run.Pool
	seed uint64
}

// Run runs a scenario on the cluster of a place, which is kept for the next one.
func (c *onClusters) Run(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
	return runAlone(ctx, run.Runner{
		Open:     func(ctx context.Context, _ int) (run.Cluster, error) { return c.pool.Open(ctx, place) },
		Parallel: 1, Reporter: silent{}, Seed: c.seed,
	}, s)
}

// Renew stops the cluster of a place: the next scenario there starts a new one.
func (c *onClusters) Renew(ctx context.Context, place int) error { return c.pool.Discard(ctx, place) }

// Close stops all clusters.
func (c *onClusters) Close(ctx context.Context) error { return c.pool.Close(ctx) }

// runOn runs a scenario, and takes a result that says nothing of the CCM for the failure of the environment that it is.
func runOn(ctx context.Context, r Runner, place int, s *scenarios.Scenario) (scenarios.Result, error) {
	result, err := r.Run(ctx, place, s)
	if err == nil && result.Status == scenarios.Broken {
		err = errors.New(result.Error)
	}
	return result, err
}

// silent reports nothing: what there is to tell of a history is told when it has ended.
type silent struct{}

func (silent) ClusterStarting(int) {}

func (silent) ClusterStarted(int) {}

func (silent) ScenarioStarted(int, *scenarios.Scenario) {}

func (silent) StepStarted(int, *scenarios.Scenario, scenarios.Step, int, int, bool) {}

func (silent) ScenarioFinished(int, *scenarios.Scenario, scenarios.Result) {}

func (silent) Note(int, string) {}

// Apart runs each scenario by isolate, on a cluster of its own: in simulated time, for instance. See [run.Runner.Isolate].
func Apart(open func(ctx context.Context, slot int) (run.Cluster, error), isolate func(ctx context.Context, f func(ctx context.Context) error) error, seed uint64) Runner {
	return RunFunc(func(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
		return runAlone(ctx, run.Runner{
			Open: func(ctx context.Context, _ int) (run.Cluster, error) { return open(ctx, place) }, Isolate: isolate, Reporter: silent{}, Seed: seed,
		}, s)
	})
}

// runAlone runs one scenario.
func runAlone(ctx context.Context, runner run.Runner, s *scenarios.Scenario) (scenarios.Result, error) {
	report, err := runner.Run(ctx, []*scenarios.Scenario{s})
	switch {
	case err != nil:
		return scenarios.Result{}, err
	case len(report.Scenarios) != 1:
		return scenarios.Result{}, fmt.Errorf("%d results of one scenario", len(report.Scenarios))
	}
	return report.Scenarios[0], nil
}
