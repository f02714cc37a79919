package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/timeline"
)

// execution is one run of one scenario in a world.
type execution struct {
	world    step.World
	scenario *scenarios.Scenario
	slot     int
	reporter report.Reporter
	result   scenarios.Result
	record   *timeline.Recorder
	keys     *observe.Keys
	names    *observe.Names
	watch    stopwatch
	paused   bool
	logs     []openLog
}

// errEnvironment marks failures that say nothing of the CCM.
type errEnvironment struct{ error }

func (e errEnvironment) Unwrap() error { return e.error }

// execute runs a scenario and says how it went. It leaves the cluster to be reset.
func execute(ctx context.Context, w step.World, s *scenarios.Scenario, slot int, reporter report.Reporter) scenarios.Result {
	x := &execution{world: w, scenario: s, slot: slot, reporter: reporter, watch: stopwatch{}, result: resultOf(s, scenarios.Passed), logs: openLogs(w), keys: observe.NewKeys(), names: observe.NewNames(w.Naming.IDs)}
	x.result.Started, x.result.Slot, x.result.Calls = time.Now(), slot, map[string]int{}
	x.record = timeline.New(x.result.Started)
	if reason := step.Unfit(s, w); reason != "" {
		x.result.Status, x.result.Reason = scenarios.Skipped, reason
		return x.result
	}
	if s.DelaysCCM && !w.ControlPlane.CanDelay() {
		x.result.Status, x.result.Reason = scenarios.Skipped, "it delays what the CCM asks of the cluster, and a CCM in a pod, or in this process, does not ask by way of the harness"
		return x.result
	}
	switch err := x.run(ctx); {
	case err != nil && ctx.Err() != nil: // nothing is wrong with the environment
		x.result.Status = scenarios.Interrupted
	case err != nil:
		x.result.Status, x.result.Error = scenarios.Broken, err.Error()
	}
	if x.result.Status == scenarios.Passed {
		x.result.Warnings = vacuousDenials(s, x.keys)
	}
	x.result.Phases = x.watch
	x.result.Seconds = time.Since(x.result.Started).Seconds()
	if x.result.Status != scenarios.Passed || !strings.Contains(s.Name, scenarios.RepetitionMark) {
		x.result.Source = sourceOf(s)
	}
	return x.result
}

// run returns an error when the environment failed.
func (x *execution) run(ctx context.Context) error {
	oracles := oracle.All(givenOf(x.world, x.scenario), slices.Concat(x.scenario.SkipOracles, x.world.SkipOracles))
	made, calls := observe.NewMade(), &observe.Journal{}
	observers := []observe.Observer{made, calls, x.record, x.keys, x.names}
	for _, o := range oracles {
		observers = append(observers, o)
	}
	var st *step.Stage
	err := x.watch.time(scenarios.PhaseNodes, func() (err error) {
		if err = createNamespace(ctx, x.world, namespaceOf(x.scenario)); err == nil {
			st, err = step.Open(ctx, x.world, x.scenario, namespaceOf(x.scenario), observers...)
		}
		return err
	})
	if err != nil {
		return err
	}
	defer st.End()
	defer x.sumUp(st, made, calls)
	x.record.Begin(st.Store.Start)
	err = x.watch.time(scenarios.PhaseNodes, func() error { return x.prepare(ctx, st) })
	var environment errEnvironment
	if errors.As(err, &environment) && ctx.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		x.result.Status = scenarios.Interrupted
	} else if err != nil {
		x.fail(st, x.unprepared(st, err))
	}
	if err := st.Sync(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	for _, o := range oracles {
		o.Begin(st.Store.Snapshot())
	}
	return x.steps(ctx, st, oracles)
}

// steps runs the steps, finally and the oracles.
func (x *execution) steps(ctx context.Context, st *step.Stage, oracles []oracle.Oracle) error {
	if x.result.Status == scenarios.Passed {
		_ = x.watch.time(scenarios.PhaseSteps, func() error { return x.all(ctx, st, x.scenario.Steps, x.scenario.Timeout, false) })
	}
	x.pause(ctx)
	if err := x.rest(ctx, st, oracles); err != nil {
		return err
	}
	cleanup := context.WithoutCancel(ctx) // finally runs after Ctrl-C too
	limit := scenarios.FinallyTimeout
	if ctx.Err() != nil {
		limit = scenarios.InterruptedTimeout
	}
	broken := st.Behave(cleanup, limit)
	_ = x.watch.time(scenarios.PhaseFinally, func() error { return x.all(cleanup, st, x.scenario.Finally, limit, true) })
	if broken != nil {
		return broken
	}
	return x.watch.time(scenarios.PhaseOracles, func() error {
		if x.result.Status == scenarios.Interrupted || x.result.Status == scenarios.Invalid || x.result.Status == scenarios.Skipped {
			return nil // what was not done, or not as it was meant, cannot be judged
		}
		defer x.pause(ctx)
		if err := st.Sync(cleanup); err != nil {
			return fmt.Errorf("look at the cloud after finally: %w", err)
		}
		for _, o := range oracles {
			for _, f := range oracle.Judge(cleanup, seen{st}, o, x.result.Status != scenarios.Passed) {
				f.CCMLog = x.verdictLog(st, f)
				x.record.Verdict(f)
				x.fail(st, f)
			}
		}
		return nil
	})
}

// pause lets people look at the first failure, once.
func (x *execution) pause(ctx context.Context) {
	if x.world.Failed == nil || x.paused || len(x.result.Failures) == 0 {
		return
	}
	x.paused = true
	x.world.Failed(ctx, x.result.Failures[0])
}

// rest lets the oracles look at the world at rest, when all has gone well.
func (x *execution) rest(ctx context.Context, st *step.Stage, oracles []oracle.Oracle) error {
	if x.result.Status != scenarios.Passed {
		return nil
	}
	err := x.watch.time(scenarios.PhaseOracles, func() error { return oracle.Rest(ctx, seen{st}, oracles) })
	if ctx.Err() != nil {
		x.result.Status = scenarios.Interrupted
		return nil
	}
	return err
}

// all runs steps until one fails; those of finally run all.
func (x *execution) all(ctx context.Context, st *step.Stage, steps []scenarios.Step, limit time.Duration, finally bool) error {
	outer := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the scenario's time of %s is over", limit))
	defer cancel()
	var acted mark
	for i, next := range steps {
		x.reporter.StepStarted(x.slot, x.scenario, next, i, len(steps), finally)
		since, began := markOf(st), time.Now()
		switch {
		case st.Foreseen(next):
			since = acted
		case next.Verb != "capture": // which may stand between the step that acts and what judges it
			acted = since
		}
		err := runStep(ctx, st, next, steps[i+1:])
		result := scenarios.StepResult{
			Position: next.Place(), Step: next.Text, Finally: finally,
			At: x.record.At(began), Seconds: time.Since(began).Seconds(), Passed: err == nil || finally && step.IsInapplicable(err),
		}
		x.result.Steps = append(x.result.Steps, result)
		x.record.Step(next, result, err)
		if err == nil {
			continue
		}
		if outer.Err() != nil {
			x.result.Status = scenarios.Interrupted
			return err
		}
		if step.IsInapplicable(err) {
			if finally || x.result.Status != scenarios.Passed {
				continue // there is nothing to clean up
			}
			x.result.Status, x.result.Reason = scenarios.Skipped, next.Place()+": "+err.Error()
			return err
		}
		f := stepFailure(st, next, since, err)
		f.Finally = finally
		x.fail(st, f)
		if !finally {
			return err
		}
	}
	return nil
}

// runStep runs one step with its time limit, on a snapshot that shows all that was done before.
func runStep(ctx context.Context, st *step.Stage, s scenarios.Step, following []scenarios.Step) error {
	limit := step.TimeLimit(s)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the step's time of %s is over", limit))
	defer cancel()
	err := st.Sync(ctx)
	if err == nil {
		st.LookAhead(s, following)
		err = step.Run(ctx, st, s)
	}
	if errors.Is(err, context.DeadlineExceeded) && context.Cause(ctx) != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

// unprepared is the failure of a scenario of which no step could begin.
func (x *execution) unprepared(st *step.Stage, err error) scenarios.Failure {
	f := scenarios.Failure{Headline: err.Error(), Position: x.scenario.Position.String(), Because: x.scenario.Description, CCMLog: st.CCM.LogTail(observe.MostLogLines)}
	if step.IsMistake(err) {
		f.Invalid, f.Because = true, ""
	}
	return f
}

// fail takes in a failure. The first one says how the scenario ended, but one that is held against the CCM counts more than one that is undecided.
func (x *execution) fail(st *step.Stage, f scenarios.Failure) {
	asked := unsimulated(st.Store.Snapshot().Calls)
	f.Undecided = excuses(asked, f)
	switch {
	case f.Undecided && x.result.Status == scenarios.Passed:
		x.result.Status, x.result.Reason = scenarios.Undecided, undecidedReason(asked)
	case f.Undecided:
	case x.result.Status == scenarios.Passed && f.Invalid:
		x.result.Status = scenarios.Invalid
	case x.result.Status == scenarios.Passed, x.result.Status == scenarios.Undecided && !f.Invalid:
		x.result.Status, x.result.Reason = scenarios.Failed, ""
	}
	if issue := x.scenario.KnownIssue; issue != nil && !f.Invalid {
		f.Headline = issue.Changed(f.Headline)
	}
	short := brief(f)
	if short.Cut > 0 {
		x.result.Whole = append(x.result.Whole, f)
	}
	at := len(x.result.Failures)
	if first := slices.IndexFunc(x.result.Failures, func(f scenarios.Failure) bool { return f.Undecided }); first >= 0 && !f.Undecided && !f.Invalid {
		at = first // reports, and shortening, go by the first failure
	}
	x.result.Failures = slices.Insert(x.result.Failures, at, short)
}

// sumUp keeps of the stage what reports show.
func (x *execution) sumUp(st *step.Stage, made *observe.Made, calls *observe.Journal) {
	var s *observe.Snapshot
	st.Store.View(func(now *observe.Snapshot) {
		s, x.result.Inventory, x.result.Journal = now, made.Inventory(), slices.Clone(calls.Entries)
	})
	x.record.Exits("the CCM", st.CCM)
	if st.Standby != nil {
		x.record.Exits("the standby", st.Standby)
	}
	x.recordLogs()
	x.result.Timeline = x.record.Timeline()
	if x.result.Status == scenarios.Passed {
		x.result.Timeline = timeline.WithoutStates(x.result.Timeline)
	}
	x.result.CallValues = s.Calls
	for _, c := range s.Calls {
		operation, _ := observe.Dig(c, "operation").(string)
		x.result.Calls[operation]++
	}
	x.result.Unsimulated = unsimulated(s.Calls)
}

// recordLogs puts on the timeline what the CCM and its standby have logged. A log that cannot be read has nothing to show.
func (x *execution) recordLogs() {
	for _, log := range x.logs {
		if content, err := observe.ReadFrom(log.path, log.offset); err == nil {
			x.record.Log(filepath.Base(log.path), content, x.result.Status == scenarios.Passed)
		}
	}
}

// prepare boots the nodes and starts the CCM.
func (x *execution) prepare(ctx context.Context, st *step.Stage) error {
	for i := range x.scenario.Nodes {
		name := nodeName(i)
		args := map[string]any{"name": name}
		if x.scenario.Light {
			args["labels"] = map[string]any{machine.LabelNode: machine.NodeHollow}
		}
		if _, err := st.Cloud.Call(ctx, "CreateInstance", args); err != nil {
			return errEnvironment{fmt.Errorf("create the instance %s: %w", name, err)}
		}
	}
	settings, err := syntax.StartSettings(x.scenario).Expand(st.Store.Snapshot())
	st.Settings.Proxied = x.scenario.DelaysCCM
	if err == nil {
		err = st.ConfigureCCM(settings)
	}
	if step.IsMistake(err) {
		return fmt.Errorf("configure the CCM: %w", err)
	}
	if err != nil {
		return errEnvironment{fmt.Errorf("configure the CCM: %w", err)}
	}
	both, bothCtx := errgroup.WithContext(ctx)
	both.Go(func() error { return x.awaitNodes(bothCtx, st) })
	both.Go(func() error {
		defer st.SyncCCM()
		if x.scenario.CCMStopped {
			return nil
		}
		if err := st.CCM.Start(bothCtx); err != nil {
			return fmt.Errorf("the CCM under test did not start: %w", err)
		}
		return nil
	})
	if err := both.Wait(); err != nil {
		return err
	}
	return x.letInitialise(ctx, st)
}

// initialiseTime is how long a CCM may take to initialise the first nodes before there are Services.
const initialiseTime = 10 * time.Second

// letInitialise waits until the CCM has initialised the nodes, where there will be load balancers
// for them. Whether a Node is initialised before or after its Service is seen is a race of
// k8s.io/cloud-provider, in which a load balancer can end without the target. A CCM that does not
// initialise at all is not judged here.
func (x *execution) letInitialise(ctx context.Context, st *step.Stage) error {
	needs := func(capability string) bool { return slices.Contains(x.scenario.Capabilities, capability) }
	if x.scenario.CCMStopped || !needs("nodes") || !needs("loadBalancers") {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, st.Patience(initialiseTime))
	defer cancel()
	_ = st.Until(waiting, observe.FromCluster, func(s *observe.Snapshot) bool { // in time or not, the steps begin
		for i := range x.scenario.Nodes {
			if !observe.IsInitialised(s.Objects["nodes"][nodeName(i)]) {
				return false
			}
		}
		return true
	})
	return ctx.Err()
}

// nodesTimeout is how long machines may take to become nodes.
const nodesTimeout = 2 * time.Minute

// awaitNodes waits until all machines are nodes that are ready and have addresses for pods.
func (x *execution) awaitNodes(ctx context.Context, st *step.Stage) error {
	ctx, cancel := context.WithTimeoutCause(ctx, nodesTimeout, fmt.Errorf("that took more than %s", nodesTimeout))
	defer cancel()
	err := st.Until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool { return len(x.unready(s)) == 0 })
	if err != nil {
		return errEnvironment{fmt.Errorf("wait for the nodes: %s: %w", strings.Join(x.unready(st.Store.Snapshot()), ", "), err)}
	}
	return nil
}

// unready says which nodes cannot be used yet, and why.
func (x *execution) unready(s *observe.Snapshot) []string {
	var unready []string
	for i := range x.scenario.Nodes {
		name := nodeName(i)
		switch node := s.Objects["nodes"][s.NodeName(name)]; {
		case node == nil:
			unready = append(unready, name+" has not registered")
		case !observe.IsReady(node):
			unready = append(unready, name+" is not ready")
		case observe.Dig(node, "spec", "podCIDR") == nil:
			unready = append(unready, name+" has no podCIDR")
		}
	}
	return unready
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i+1) }

// stopwatch adds up phases.
type stopwatch map[scenarios.Phase]float64

// time runs f and adds its time to a phase.
func (w stopwatch) time(p scenarios.Phase, f func() error) error {
	began := time.Now()
	err := f()
	w[p] += time.Since(began).Seconds()
	return err
}
