package explore

import (
	"context"
	"fmt"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// proofs is how often a history has to break the rule on clusters that nothing else has used.
const proofs = 2

// prove goes back to the shortest history that breaks the rule each time: a
// shorter one may do so only when the CCM happens to be quick enough, or slow
// enough. It reports whether there is one, or whether there may be one when it is interrupted.
func (s *shrinker) prove(ctx context.Context) (bool, error) {
	for i := len(s.trail) - 1; i >= 0; i-- {
		s.best, s.found = s.trail[i].history, s.trail[i].how
		if i < len(s.trail)-1 {
			s.progress(s.best)
		}
		if proven, err := s.proven(ctx); err != nil || proven {
			return true, err
		}
	}
	return false, nil
}

// proven runs the best history on new clusters, at as many places at the same time as there are.
func (s *shrinker) proven(ctx context.Context) (bool, error) {
	for done := 0; done < proofs; done += s.places {
		if err := s.renew(ctx); err != nil {
			return false, err
		}
		n := min(s.places, proofs-done)
		found, errs := make([][]violation, n), make([]error, n)
		var group sync.WaitGroup
		for place := range n {
			group.Go(func() { found[place], errs[place] = s.try(ctx, place, s.best) })
		}
		group.Wait()
		for place := range n {
			if errs[place] != nil {
				return false, errs[place]
			}
			if !s.breaks(found[place]) {
				return false, nil
			}
		}
	}
	return true, nil
}

// breaks reports whether the rule is among what a run broke, and keeps how it was.
func (s *shrinker) breaks(all []violation) bool {
	for _, v := range all {
		if v.rule == s.found.rule {
			s.found = v
			return true
		}
	}
	return false
}

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
