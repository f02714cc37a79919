package explore

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// runAt runs a scenario on the cluster of a place, which is kept for the next one. It
// returns an error when the environment failed, or ctx ended.
func (x *exploration) runAt(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
	runner := run.Runner{
		Open:     func(ctx context.Context, _ int) (run.Cluster, error) { return x.clusters.Open(ctx, place) },
		Parallel: 1, Reporter: silent{}, Seed: x.Seed,
	}
	report, err := runner.Run(ctx, []*scenarios.Scenario{s})
	switch {
	case err != nil:
		return scenarios.Result{}, err
	case len(report.Scenarios) != 1:
		return scenarios.Result{}, fmt.Errorf("%d results of one scenario", len(report.Scenarios))
	}
	return report.Scenarios[0], nil
}

// silent reports nothing: what there is to tell of a history is told when it has ended.
type silent struct{}

func (silent) ClusterStarting(int) {}

func (silent) ClusterStarted(int) {}

func (silent) ScenarioStarted(int, *scenarios.Scenario) {}

func (silent) StepStarted(int, *scenarios.Scenario, scenarios.Step, int, int, bool) {}

func (silent) ScenarioFinished(int, *scenarios.Scenario, scenarios.Result) {}

func (silent) Note(int, string) {}
