package run

import (
	"context"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// retryFolder is where the logs of a retry go, within those of its scenario.
const retryFolder = "retry"

// retry runs each scenario that failed, or whose environment did, once more, alone
// on the machine's slot, up to Retries times. One that passes then is flaky: it
// passes, and its result keeps how it failed before.
func (r *run) retry(ctx context.Context, all []turn) {
	for range r.Retries {
		again := r.failedTurns(all)
		if len(again) == 0 || ctx.Err() != nil {
			return
		}
		if e, ok := r.Reporter.(report.Expecter); ok {
			r.expected += len(again)
			e.Expect(r.expected)
		}
		slot := &slot{run: r, watch: stopwatch{}, retries: true}
		for _, t := range again {
			r.Reporter.Note(0, t.Name+" failed: running it once more alone")
			result, usable := slot.run1(ctx, t)
			if result.Status == scenarios.NotRun || result.Status == scenarios.Interrupted {
				break
			}
			result = r.replace(result)
			r.Reporter.ScenarioFinished(0, t.Scenario, result)
			if !usable {
				break
			}
		}
		r.note(slot.close(ctx))
		r.addPhases(slot.watch)
	}
}

// failedTurns are those whose scenario failed, or was broken by the environment, in their order.
func (r *run) failedTurns(all []turn) (failed []turn) {
	for _, t := range all {
		for _, result := range r.report.Scenarios {
			if result.Name == t.Name && (result.Status == scenarios.Failed || result.Status == scenarios.Broken) {
				failed = append(failed, t)
			}
		}
	}
	return failed
}

// replace puts the result of a retry in the place of the one before, whose failures it keeps.
func (r *run) replace(retried scenarios.Result) scenarios.Result {
	for i, before := range r.report.Scenarios {
		if before.Name != retried.Name {
			continue
		}
		if before.Status == scenarios.Failed && (retried.Status == scenarios.Undecided || retried.Status == scenarios.Skipped) {
			before.Retries++ // that takes nothing back
			r.report.Scenarios[i] = before
			return before
		}
		retried.Retries = before.Retries + 1
		retried.Flaked = append(before.Flaked, flakesOf(before)...)
		r.report.Scenarios[i] = retried
		for phase, seconds := range retried.Phases {
			r.report.Phases[phase] += seconds
		}
	}
	return retried
}

// flakesOf is how a run of a scenario failed.
func flakesOf(r scenarios.Result) []scenarios.Failure {
	if r.Status == scenarios.Broken {
		return []scenarios.Failure{{Headline: "the environment failed: " + r.Error, Position: r.File}}
	}
	return r.Failures
}
