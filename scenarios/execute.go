package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// execution is one run of one scenario in a world.
type execution struct {
	world    World
	scenario *Scenario
	slot     int
	reporter Reporter
	result   Result
	record   *recorder
	watch    stopwatch
	paused   bool
}

// errEnvironment marks failures that say nothing of the CCM.
type errEnvironment struct{ error }

func (e errEnvironment) Unwrap() error { return e.error }

// execute runs a scenario and says how it went. It leaves the cluster to be reset.
func execute(ctx context.Context, w World, s *Scenario, slot int, reporter Reporter) Result {
	x := &execution{
		world: w, scenario: s, slot: slot, reporter: reporter, watch: stopwatch{},
		result: Result{
			Name: s.Name, Labels: s.Labels, File: s.Position.File, Description: s.Description,
			Started: time.Now(), Slot: slot, Status: Passed, Calls: map[string]int{},
		},
	}
	x.record = newRecorder(x.result.Started)
	if reason := unfit(s, w); reason != "" {
		x.result.Status, x.result.Reason = Skipped, reason
		return x.result
	}
	if s.DelaysCCM && !w.ControlPlane.CanDelay() {
		x.result.Status, x.result.Reason = Skipped, "it delays what the CCM asks of the cluster, and a CCM in a pod, or in this process, does not ask by way of the harness"
		return x.result
	}
	switch err := x.run(ctx); {
	case err != nil && ctx.Err() != nil: // nothing is wrong with the environment
		x.result.Status = Interrupted
	case err != nil:
		x.result.Status, x.result.Error = Broken, err.Error()
	}
	x.result.Phases = x.watch
	x.result.Seconds = time.Since(x.result.Started).Seconds()
	return x.result
}

// run returns an error when the environment failed.
func (x *execution) run(ctx context.Context) error {
	oracles := oraclesFor(givenOf(x.world, x.scenario), x.scenario.SkipOracles)
	made, calls := observe.NewMade(), &observe.Journal{}
	observers := []observe.Observer{made, calls, x.record}
	for _, o := range oracles {
		observers = append(observers, o)
	}
	var st *stage
	err := x.watch.time(PhaseNodes, func() (err error) {
		if err = createNamespace(ctx, x.world, namespaceOf(x.scenario)); err == nil {
			st, err = openStage(ctx, x.world, x.scenario, namespaceOf(x.scenario), observers...)
		}
		return err
	})
	if err != nil {
		return err
	}
	defer st.close()
	defer x.sumUp(st, made, calls)
	x.record.begin(st.store.Start)
	err = x.watch.time(PhaseNodes, func() error { return x.prepare(ctx, st) })
	var environment errEnvironment
	if errors.As(err, &environment) && ctx.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		x.result.Status = Interrupted
	} else if err != nil {
		x.fail(Failure{Headline: err.Error(), Position: x.scenario.Position.String(), Because: x.scenario.Description, CCMLog: st.CCM.LogTail(observe.MostLogLines)})
	}
	if err := st.sync(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	for _, o := range oracles {
		o.begin(st.store.Snapshot())
	}
	return x.steps(ctx, st, oracles)
}

// steps runs the steps, finally and the oracles.
func (x *execution) steps(ctx context.Context, st *stage, oracles []oracle) error {
	if x.result.Status == Passed {
		_ = x.watch.time(PhaseSteps, func() error { return x.all(ctx, st, x.scenario.Steps, x.scenario.Timeout, false) })
	}
	x.pause(ctx)
	if err := x.rest(ctx, st, oracles); err != nil {
		return err
	}
	cleanup := context.WithoutCancel(ctx) // finally runs after Ctrl-C too
	limit := FinallyTimeout
	if ctx.Err() != nil {
		limit = InterruptedTimeout
	}
	broken := st.behave(cleanup, limit)
	_ = x.watch.time(PhaseFinally, func() error { return x.all(cleanup, st, x.scenario.Finally, limit, true) })
	if broken != nil {
		return broken
	}
	return x.watch.time(PhaseOracles, func() error {
		if x.result.Status == Interrupted {
			return nil // what was not finished cannot be judged
		}
		defer x.pause(ctx)
		if err := st.sync(cleanup); err != nil {
			return fmt.Errorf("look at the cloud after finally: %w", err)
		}
		for _, o := range oracles {
			for _, f := range judge(cleanup, seen{st}, o, x.result.Status != Passed) {
				x.record.verdict(f)
				x.fail(f)
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
func (x *execution) rest(ctx context.Context, st *stage, oracles []oracle) error {
	if x.result.Status != Passed {
		return nil
	}
	err := x.watch.time(PhaseOracles, func() error { return restAll(ctx, seen{st}, oracles) })
	if ctx.Err() != nil {
		x.result.Status = Interrupted
		return nil
	}
	return err
}

// all runs steps until one fails; those of finally run all.
func (x *execution) all(ctx context.Context, st *stage, steps []Step, limit time.Duration, finally bool) error {
	outer := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the scenario's time of %s is over", limit))
	defer cancel()
	for i, next := range steps {
		x.reporter.StepStarted(x.slot, x.scenario, next, i, len(steps), finally)
		since, began := markOf(st), time.Now()
		err := runStep(ctx, st, next)
		result := StepResult{
			Position: next.Place(), Step: next.Text, Finally: finally,
			At: x.record.at(began), Seconds: time.Since(began).Seconds(), Passed: err == nil,
		}
		x.result.Steps = append(x.result.Steps, result)
		x.record.step(next, result, err)
		if err == nil {
			continue
		}
		if outer.Err() != nil {
			x.result.Status = Interrupted
			return err
		}
		f := stepFailure(st, next, since, err)
		f.Finally = finally
		x.fail(f)
		if !finally {
			return err
		}
	}
	return nil
}

// runStep runs one step with its time limit, on a snapshot that shows all that was done before.
func runStep(ctx context.Context, st *stage, s Step) error {
	limit := timeLimit(s)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the step's time of %s is over", limit))
	defer cancel()
	err := st.sync(ctx)
	if err == nil {
		err = runAction(ctx, st, s)
	}
	if errors.Is(err, context.DeadlineExceeded) && context.Cause(ctx) != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

func (x *execution) fail(f Failure) {
	if x.result.Status == Passed {
		x.result.Status = Failed
	}
	x.result.Failures = append(x.result.Failures, f)
}

// sumUp keeps of the stage what reports show.
func (x *execution) sumUp(st *stage, made *observe.Made, calls *observe.Journal) {
	var s *observe.Snapshot
	st.store.View(func(now *observe.Snapshot) {
		s, x.result.Inventory, x.result.journal = now, made.Inventory(), slices.Clone(calls.Entries)
	})
	x.record.exits("the CCM", st.CCM)
	if st.Standby != nil {
		x.record.exits("the standby", st.Standby)
	}
	x.result.Timeline = x.record.timeline()
	x.result.calls = s.Calls
	for _, c := range s.Calls {
		operation, _ := observe.Dig(c, "operation").(string)
		x.result.Calls[operation]++
	}
}

// prepare boots the nodes and starts the CCM.
func (x *execution) prepare(ctx context.Context, st *stage) error {
	for i := range x.scenario.Nodes {
		name := nodeName(i)
		args := map[string]any{"name": name}
		if x.scenario.Light {
			args["labels"] = map[string]any{e2e.LabelNode: e2e.NodeLight}
		}
		if _, err := st.Cloud.Call(ctx, "CreateInstance", args); err != nil {
			return errEnvironment{fmt.Errorf("create the instance %s: %w", name, err)}
		}
	}
	settings, err := expandSettings(startSettings(x.scenario), st.store.Snapshot())
	st.settings.Proxied = x.scenario.DelaysCCM
	if err == nil {
		err = st.configureCCM(settings)
	}
	if err != nil {
		return errEnvironment{fmt.Errorf("configure the CCM: %w", err)}
	}
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error { return x.awaitNodes(ctx, st) })
	both.Go(func() error {
		defer st.syncCCM()
		if x.scenario.CCMStopped {
			return nil
		}
		if err := st.CCM.Start(ctx); err != nil {
			return fmt.Errorf("the CCM under test did not start: %w", err)
		}
		return nil
	})
	return both.Wait()
}

// nodesTimeout is how long machines may take to become nodes.
const nodesTimeout = 2 * time.Minute

// awaitNodes waits until all machines are nodes that are ready and have addresses for pods.
func (x *execution) awaitNodes(ctx context.Context, st *stage) error {
	ctx, cancel := context.WithTimeoutCause(ctx, nodesTimeout, fmt.Errorf("that took more than %s", nodesTimeout))
	defer cancel()
	err := st.until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool { return len(x.unready(s)) == 0 })
	if err != nil {
		return errEnvironment{fmt.Errorf("wait for the nodes: %s: %w", strings.Join(x.unready(st.store.Snapshot()), ", "), err)}
	}
	return nil
}

// unready says which nodes cannot be used yet, and why.
func (x *execution) unready(s *observe.Snapshot) []string {
	var unready []string
	for i := range x.scenario.Nodes {
		name := nodeName(i)
		switch node := s.Objects["nodes"][name]; {
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
