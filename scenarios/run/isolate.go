package run

import (
	"context"
	"errors"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/simulated/bubble"
	"github.com/simcloud-dev/simcloud/scenarios"
)

// apart runs one scenario by Isolate, on a cluster that is its own. One that cannot be run so is skipped, or runs on a cluster
// of Fallback. So does one that leaves goroutines behind, which is broken where there is none.
func (s *slot) apart(ctx context.Context, t turn) scenarios.Result {
	began, results := time.Now(), make(chan scenarios.Result, 1)
	err := s.Isolate(ctx, func(ctx context.Context) error {
		own := &slot{run: s.run, n: s.n, watch: stopwatch{}, retries: s.retries, opened: s.opened}
		result, _ := own.run2(ctx, t)
		err := own.close(ctx)
		results <- result
		s.addPhases(own.watch)
		return err
	})
	s.opened++
	if stuck := (*bubble.StuckError)(nil); errors.As(err, &stuck) { // what it was about to do says nothing
		return s.elsewhere(ctx, t, stuck)
	}
	if leak := (*bubble.LeakError)(nil); errors.As(err, &leak) && s.Fallback != nil { // its end took time that no process takes
		return s.elsewhere(ctx, t, leak)
	}
	result := resultOf(t.Scenario, scenarios.Broken)
	select {
	case result = <-results:
	default:
	}
	result.Started, result.Seed = began, t.seed
	if err != nil && ctx.Err() == nil && result.Status != scenarios.Failed && result.Status != scenarios.Undecided {
		result.Status, result.Error = scenarios.Broken, err.Error()
	}
	return result
}

// elsewhere runs a scenario that cannot be isolated on a cluster of Fallback, if there is one.
func (s *slot) elsewhere(ctx context.Context, t turn, why error) scenarios.Result {
	if s.Fallback == nil {
		result := resultOf(t.Scenario, scenarios.Skipped)
		result.Seed, result.Started, result.Reason = t.seed, time.Now(), "not simulated: "+why.Error()
		return result
	}
	s.Reporter.Note(s.n, t.Name+" runs on a real cluster: "+why.Error())
	real := *s.Runner
	real.Isolate, real.Open = nil, s.Fallback
	own := &slot{run: &run{Runner: &real}, n: s.n, watch: stopwatch{}, retries: s.retries, opened: s.opened}
	own.report.Phases = map[scenarios.Phase]float64{}
	result, _ := own.run2(ctx, t)
	s.note(errors.Join(append(own.errs, own.close(ctx))...))
	s.addPhases(own.watch)
	s.opened = own.opened
	return result
}
