package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Cluster is what scenarios run on, one after the other.
type Cluster interface {
	// World gives access to it.
	World() (World, error)
	// Reset empties it for the next scenario; after an error it must not be used again.
	Reset(ctx context.Context) error
	// CollectLogs copies the logs of everything that runs into a folder.
	CollectLogs(ctx context.Context, dir string) error
	// CCMLog is the path of the CCM's log, to which every start appends.
	CCMLog() string
	Stop(ctx context.Context) error
}

// Runner runs scenarios on clusters.
type Runner struct {
	// Open starts the cluster of a slot. Slots count from 0.
	Open func(ctx context.Context, slot int) (Cluster, error)
	// Parallel is how many clusters run at the same time; at least 1.
	Parallel int
	// Seed and Subject are for the report.
	Seed    uint64
	Subject string
	// Reporter hears of the progress.
	Reporter Reporter
	// Dir is where the logs go; empty for nowhere.
	Dir string
}

// stopTimeout is how long a cluster may take to be reset, to give its logs, or to stop.
const stopTimeout = time.Minute

// Run runs all scenarios and returns when all clusters are gone. It returns
// an error when the environment failed, and the context's when it was ended; the report is good in any case.
func (r *Runner) Run(ctx context.Context, all []*Scenario) (Report, error) {
	run := &run{Runner: r, waiting: all, report: Report{
		Started: time.Now(), Seed: r.Seed, Subject: r.Subject, Parallel: max(1, min(r.Parallel, len(all))), Phases: map[Phase]float64{},
	}}
	var slots sync.WaitGroup
	for slot := range run.report.Parallel {
		slots.Go(func() { run.slot(ctx, slot) })
	}
	slots.Wait()
	run.finish(all)
	if err := context.Cause(ctx); err != nil {
		run.errs = append(run.errs, err)
	}
	return run.report, errors.Join(run.errs...)
}

// run is one Run.
type run struct {
	*Runner
	mu      sync.Mutex
	waiting []*Scenario
	report  Report
	errs    []error
}

func (r *run) next() *Scenario {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		return nil
	}
	s := r.waiting[0]
	r.waiting = r.waiting[1:]
	return s
}

// slot runs scenarios one after the other until there are none left, or no cluster can be had.
func (r *run) slot(ctx context.Context, n int) {
	slot := &slot{run: r, n: n, watch: stopwatch{}}
	for ctx.Err() == nil {
		s := r.next()
		if s == nil {
			break
		}
		result, usable := slot.run1(ctx, s)
		r.add(result)
		r.Reporter.ScenarioFinished(n, s, result)
		if !usable {
			break
		}
	}
	r.note(slot.close(ctx))
	r.mu.Lock()
	defer r.mu.Unlock()
	for phase, seconds := range slot.watch {
		r.report.Phases[phase] += seconds
	}
}

func (r *run) add(result Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Scenarios = append(r.report.Scenarios, result)
	for phase, seconds := range result.Phases {
		r.report.Phases[phase] += seconds
	}
	if result.Status == Broken {
		r.errs = append(r.errs, fmt.Errorf("%s: %s", result.Name, result.Error))
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
func (r *run) finish(all []*Scenario) {
	results := map[string]Result{}
	for _, result := range r.report.Scenarios {
		results[result.Name] = result
	}
	r.report.Scenarios = nil
	for _, s := range all {
		result, ran := results[s.Name]
		if !ran {
			result = Result{Name: s.Name, Labels: s.Labels, File: s.Position.File, Description: s.Description, Status: NotRun}
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
	opened  int
}

// run1 runs one scenario on a clean cluster. It reports whether the slot can go on.
func (s *slot) run1(ctx context.Context, scenario *Scenario) (result Result, usable bool) {
	began := time.Now()
	w, err := s.clean(ctx)
	if err != nil {
		return Result{
			Name: scenario.Name, Labels: scenario.Labels, File: scenario.Position.File, Description: scenario.Description,
			Status: Broken, Error: err.Error(), Started: began, Slot: s.n,
		}, false
	}
	s.used = true
	s.Reporter.ScenarioStarted(s.n, scenario)
	offset := sizeOf(s.cluster.CCMLog())
	result = execute(ctx, w, scenario, s.n, s.Reporter)
	s.note(s.keepLog(scenario, offset))
	return result, true
}

// clean returns the world of a cluster that no scenario has used.
func (s *slot) clean(ctx context.Context) (World, error) {
	if s.cluster != nil && s.used {
		err := s.watch.time(PhaseReset, func() error { return s.reset(ctx) })
		if err != nil {
			s.Reporter.Note(s.n, fmt.Sprintf("the cluster cannot be used again, a new one starts: %v", err))
			if err := s.close(ctx); err != nil {
				return World{}, err
			}
		}
	}
	if s.cluster == nil {
		if err := s.watch.time(PhaseCluster, func() error { return s.open(ctx) }); err != nil {
			return World{}, err
		}
	}
	return s.cluster.World()
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
	s.cluster, s.used = c, false
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
		logs = s.cluster.CollectLogs(ctx, filepath.Join(s.Dir, "logs", fmt.Sprintf("cluster-%d-%d", s.n+1, s.opened)))
	}
	err := s.cluster.Stop(ctx)
	s.cluster = nil
	if err != nil {
		err = fmt.Errorf("stop a cluster: %w", err)
	}
	return errors.Join(logs, err)
}

// keepLog copies what the CCM logged during a scenario.
func (s *slot) keepLog(scenario *Scenario, offset int64) error {
	if s.Dir == "" {
		return nil
	}
	log, err := readFrom(s.cluster.CCMLog(), offset)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the subject is none
	}
	dir := filepath.Join(s.Dir, "logs", scenario.Name)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "ccm.log"), log, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep the CCM's log: %w", err)
	}
	return nil
}

// readFrom reads a file from an offset to its end.
func readFrom(path string, offset int64) (content []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
