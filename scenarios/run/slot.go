package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// slot is a place for one cluster after the other.
type slot struct {
	*run
	n       int
	watch   stopwatch
	cluster Cluster
	used    bool // by a scenario since it was started or reset
	seed    uint64
	opened  int
	retries bool // whether it runs scenarios that have failed once more
}

// attempt runs one scenario on a clean cluster. It reports whether the slot can go on.
func (s *slot) attempt(ctx context.Context, t turn) (result scenarios.Result, usable bool) {
	began, scenario := time.Now(), t.Scenario
	w, err := s.clean(ctx, t.seed)
	if err != nil {
		result = resultOf(scenario, scenarios.Broken)
		result.Error, result.Started, result.Slot, result.Seed = err.Error(), began, s.n, t.seed
		if ctx.Err() != nil { // nothing is wrong with the environment
			result.Status, result.Error = scenarios.NotRun, ""
		}
		return result, false
	}
	if s.Pause != nil {
		w.Failed = func(ctx context.Context, f scenarios.Failure) {
			s.Pause(ctx, Pause{Slot: s.n, Scenario: scenario, Namespace: namespaceOf(scenario), Failure: f, Access: w.Access})
		}
	}
	s.Reporter.ScenarioStarted(s.n, scenario)
	logs := openLogs(w)
	living, end := s.whileAlive(ctx)
	defer end()
	result = execute(living, w, step.Scaled(scenario, w.Factor), s.n, s.Reporter)
	s.measured(w.Factor)
	result.Seed = t.seed
	s.used = result.Status != scenarios.Skipped || len(result.Steps) > 0 // it may be found to be skipped by a step
	if s.used {
		s.note(s.keepLogs(scenario, logs))
		s.note(s.keepWhole(scenario, result))
	}
	return result, true
}

// clean returns the world of a cluster that no scenario has used, in which ids follow from the seed.
func (s *slot) clean(ctx context.Context, seed uint64) (step.World, error) {
	if why := s.lost(); why != nil {
		s.replace(ctx, why)
	}
	if s.cluster != nil && s.used {
		err := s.watch.time(scenarios.PhaseReset, func() error { return s.reset(ctx) })
		if ctx.Err() != nil {
			return step.World{}, context.Cause(ctx)
		}
		if err != nil {
			s.replace(ctx, err)
		}
	}
	if s.cluster == nil {
		if err := s.watch.time(scenarios.PhaseCluster, func() error { return s.open(ctx) }); err != nil {
			return step.World{}, err
		}
	}
	w, err := s.cluster.World()
	if err != nil || s.seed == seed {
		return w, err
	}
	s.seed = seed
	return w, w.Simulator.Reseed(ctx, seed)
}

// measured notes how slow the machine was.
func (s *slot) measured(factor float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Factor = max(s.report.Factor, factor)
}

func (s *slot) reset(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	s.used = false
	return s.cluster.Reset(ctx)
}

func (s *slot) open(ctx context.Context) error {
	s.Reporter.ClusterStarting(s.n)
	c, err := s.Open(ctx, s.n)
	if err != nil {
		return fmt.Errorf("start a cluster: %w", err)
	}
	s.cluster, s.used, s.seed = c, false, s.Seed
	s.opened++
	s.Reporter.ClusterStarted(s.n)
	return nil
}

// close collects the logs and stops the cluster, also when ctx is done.
func (s *slot) close(ctx context.Context) error {
	if s.cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	var logs error
	if s.Dir != "" {
		logs = s.cluster.CollectLogs(ctx, s.clusterLogs())
	}
	err := s.cluster.Stop(ctx)
	s.cluster = nil
	if err != nil {
		err = fmt.Errorf("stop a cluster: %w", err)
	}
	return errors.Join(logs, err)
}

// mostLost is how many clusters may be lost under one scenario: what loses each of them is no accident.
const mostLost = 2

// run1 runs one scenario, apart from all others if the runner has them so. It reports whether the slot can go on.
func (s *slot) run1(ctx context.Context, t turn) (result scenarios.Result, usable bool) {
	if s.Isolate != nil {
		return s.apart(ctx, t), true
	}
	return s.run2(ctx, t)
}

// run2 runs one scenario, once more on another cluster when the one that it ran
// on was lost meanwhile: what it has shown then is nothing of the CCM. It reports whether the slot can go on.
func (s *slot) run2(ctx context.Context, t turn) (result scenarios.Result, usable bool) {
	for lost := 1; ; lost++ {
		result, usable = s.attempt(ctx, t)
		why := s.lost()
		if why == nil || ctx.Err() != nil || report.IsHarmless(result.Status) {
			return s.compared(t.Scenario, result), usable
		}
		if lost == mostLost {
			result.Status, result.Failures = scenarios.Broken, nil
			result.Error = fmt.Sprintf("%d clusters were lost while it ran; the last one: %v", lost, why)
			return result, usable
		}
		s.Reporter.Note(s.n, t.Name+" starts again on another cluster, because its cluster was lost")
	}
}

// lost says how the slot's cluster was lost, if it was.
func (s *slot) lost() error {
	if s.cluster == nil {
		return nil
	}
	return s.cluster.Err()
}

// whileAlive is ctx, which ends too when the slot's cluster is lost.
func (s *slot) whileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	cluster := s.cluster
	go func() {
		select {
		case <-cluster.Done():
			cancel(cluster.Err())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// replace stops a cluster that cannot be used any more. What it leaves behind
// is told, and does not keep the next one from starting.
func (s *slot) replace(ctx context.Context, why error) {
	s.Reporter.Note(s.n, fmt.Sprintf("the cluster cannot be used again, a new one starts: %v", why))
	s.note(s.close(ctx))
}
