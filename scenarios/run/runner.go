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
	// Isolate, when set, runs each scenario by a call of its function, with a cluster of its own that is started and stopped in there: in
	// simulated time, for instance, where nothing may outlast the scenario. Its errors are those of package bubble.
	Isolate func(ctx context.Context, f func(ctx context.Context) error) error
	// Fallback, when set, starts a cluster for the scenarios that cannot be run by Isolate. Without it they are skipped.
	Fallback func(ctx context.Context, slot int) (Cluster, error)
	// Parallel is how many clusters run at the same time; at least 1.
	Parallel int
	// Repeat is how often each scenario runs; 0 is once. Repetitions have names
	// of their own, such as lb-address#2, and seeds one above the other.
	Repeat int
	// Retries is how often a scenario that failed is run again, alone and after all
	// others; one that passes then has passed, and is flaky: see [scenarios.Result.Flaky].
	Retries int
	// Known are the scenarios that the CCM is known to fail. A failure of one is [scenarios.KnownFailed]: it is
	// not run again, and does not end a run that fails fast.
	Known scenarios.KnownFailures
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
	r.failed = r.failed || result.Status == scenarios.Failed || result.Status == scenarios.Broken || result.Status == scenarios.Invalid
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
			result = resultOf(s.Scenario, scenarios.NotRun)
			result.Seed = s.seed
		}
		if result.Status == scenarios.Broken {
			r.errs = append(r.errs, fmt.Errorf("%s: %s", result.Name, result.Error))
		}
		r.report.Scenarios = append(r.report.Scenarios, result)
	}
	r.report.Seconds = time.Since(r.report.Started).Seconds()
}

// resultOf is a result with all that the scenario itself says.
func resultOf(s *scenarios.Scenario, status scenarios.Status) scenarios.Result {
	return scenarios.Result{
		Name: s.Name, Labels: s.Labels, File: s.Position.File, Line: s.Position.Line, Description: s.Description, Parameters: s.Parameters, Status: status,
	}
}

// turn is a scenario that waits to be run, with what ids and addresses follow from.
type turn struct {
	*scenarios.Scenario
	seed uint64
}

// turns are all scenarios, and when they are repeated, all once more, and so
// on: so a cluster changes its seed as seldom as can be.
func (r *Runner) turns(all []*scenarios.Scenario) []turn {
	var turns []turn
	for i := range max(1, r.Repeat) {
		for _, s := range all {
			if r.Repeat > 1 {
				s = s.Repeated(i + 1)
			}
			turns = append(turns, turn{s, r.Seed + uint64(i)})
		}
	}
	return turns
}

// Pause is a scenario that has failed, and what there is to look at.
type Pause struct {
	Slot      int
	Scenario  *scenarios.Scenario
	Namespace string
	Failure   scenarios.Failure
	Access    step.Access
}
