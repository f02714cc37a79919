package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// Cluster is what scenarios run on, one after the other.
type Cluster interface {
	// World gives access to it.
	World() (step.World, error)
	// Reset empties it for the next scenario; after an error it must not be used again.
	Reset(ctx context.Context) error
	// CollectLogs copies the logs of everything that runs into a folder.
	CollectLogs(ctx context.Context, dir string) error
	// CCMLog is the path of the CCM's log, to which every start appends.
	CCMLog() string
	// Done is closed when the cluster is lost though no one has stopped it; Err then says how.
	Done() <-chan struct{}
	Err() error
	Stop(ctx context.Context) error
}

// Runner runs scenarios on clusters.
type Runner struct {
	// Open starts the cluster of a slot. Slots count from 0.
	Open func(ctx context.Context, slot int) (Cluster, error)
	// Parallel is how many clusters run at the same time; at least 1.
	Parallel int
	// Repeat is how often each scenario runs; 0 is once. Repetitions have names
	// of their own, such as lb-address#2, and seeds one above the other.
	Repeat int
	// Retries is how often a scenario that failed is run again, alone and after all
	// others; one that passes then has passed, and is flaky: see [scenarios.Result.Flaky].
	Retries int
	// FailFast lets no scenario begin after one has failed.
	FailFast bool
	// Seed is what Open gives to clusters; Subject is for the report.
	Seed    uint64
	Subject string
	// Pause, when set, is called when a scenario has failed, before anything of it is cleaned up.
	Pause func(ctx context.Context, p Pause)
	// Reporter hears of the progress.
	Reporter report.Reporter
	// Dir is where the logs go; empty for nowhere.
	Dir string
}

// stopTimeout is how long a cluster may take to be reset, or to give its logs and stop.
const stopTimeout = 2 * time.Minute

// Run runs all scenarios and returns when all clusters are gone. It returns
// an error when the environment failed, and the context's when it was ended; the report is good in any case.
func (r *Runner) Run(ctx context.Context, all []*scenarios.Scenario) (scenarios.Report, error) {
	turns := r.turns(all)
	run := &run{Runner: r, waiting: turns, report: scenarios.Report{
		Started: time.Now(), Seed: r.Seed, Subject: r.Subject, Parallel: max(1, min(r.Parallel, len(turns))), Phases: map[scenarios.Phase]float64{},
	}}
	var slots sync.WaitGroup
	run.expected = len(turns)
	if r, ok := r.Reporter.(report.Expecter); ok {
		r.Expect(run.expected)
	}
	for slot := range run.report.Parallel {
		slots.Go(func() { run.slot(ctx, slot) })
	}
	slots.Wait()
	run.retry(ctx, turns)
	run.finish(turns)
	if err := context.Cause(ctx); err != nil {
		run.errs = append(run.errs, err)
	}
	return run.report, errors.Join(run.errs...)
}

// run is one Run.
type run struct {
	*Runner
	mu      sync.Mutex
	waiting []turn
	failed  bool
	report  scenarios.Report
	errs    []error
	// expected is how many runs of scenarios the reporter was told of.
	expected int
}

func (r *run) next() (next turn, there bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 || r.FailFast && r.failed {
		return turn{}, false
	}
	next = r.waiting[0]
	r.waiting = r.waiting[1:]
	return next, true
}

// slot runs scenarios one after the other until there are none left, or no cluster can be had.
func (r *run) slot(ctx context.Context, n int) {
	slot := &slot{run: r, n: n, watch: stopwatch{}}
	for ctx.Err() == nil {
		t, there := r.next()
		if !there {
			break
		}
		result, usable := slot.run1(ctx, t)
		r.add(result)
		if result.Status != scenarios.NotRun {
			r.Reporter.ScenarioFinished(n, t.Scenario, result)
		}
		if !usable {
			break
		}
	}
	r.note(slot.close(ctx))
	r.addPhases(slot.watch)
}

// addPhases adds the time of a slot that is of no scenario.
func (r *run) addPhases(watch stopwatch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for phase, seconds := range watch {
		r.report.Phases[phase] += seconds
	}
}

func (r *run) add(result scenarios.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Scenarios = append(r.report.Scenarios, result)
	r.failed = r.failed || result.Status == scenarios.Failed || result.Status == scenarios.Broken
	for phase, seconds := range result.Phases {
		r.report.Phases[phase] += seconds
	}
}

func (r *run) note(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

// finish puts the results in the order of the scenarios, with those that had no turn.
func (r *run) finish(all []turn) {
	results := map[string]scenarios.Result{}
	for _, result := range r.report.Scenarios {
		results[result.Name] = result
	}
	r.report.Scenarios = nil
	for _, s := range all {
		result, ran := results[s.Name]
		if !ran {
			result = scenarios.Result{
				Name: s.Name, Labels: s.Labels, File: s.Position.File, Description: s.Description,
				Status: scenarios.NotRun, Seed: s.seed, Parameters: s.Parameters,
			}
		}
		if result.Status == scenarios.Broken {
			r.errs = append(r.errs, fmt.Errorf("%s: %s", result.Name, result.Error))
		}
		r.report.Scenarios = append(r.report.Scenarios, result)
	}
	r.report.Seconds = time.Since(r.report.Started).Seconds()
}

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
		result = scenarios.Result{
			Name: scenario.Name, Labels: scenario.Labels, File: scenario.Position.File, Description: scenario.Description,
			Status: scenarios.Broken, Error: err.Error(), Started: began, Slot: s.n, Seed: t.seed, Parameters: scenario.Parameters,
		}
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
	result.Seed, result.Parameters = t.seed, scenario.Parameters
	s.used = result.Status != scenarios.Skipped
	if s.used {
		s.note(s.keepLogs(scenario, logs))
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
