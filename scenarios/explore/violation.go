package explore

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// violation is a promise that a CCM broke in a run.
type violation struct {
	// rule tells one kind of violation from another: an oracle, or what a CCM must do.
	rule    string
	failure scenarios.Failure
	// step is the index of the step that failed; -1 for oracles and finally.
	step int
}

// followers are oracles that complain when something else went wrong before:
// what is stuck is left over.
var followers = []string{"leak", "idle-writes", "call-budget"}

// violations are the promises that a run broke, the most telling first. A step
// that only acts and fails breaks none: what it is about was not as the history
// has it, which is told by another rule if it is the CCM's fault.
func violations(r scenarios.Result) []violation {
	var first, then, last []violation
	for _, f := range r.Failures {
		switch {
		case f.Invalid, f.Undecided: // the history is wrong, or the simulator lacks something, not the CCM
		case f.Oracle != "" && slices.Contains(followers, f.Oracle):
			last = append(last, violation{"oracle " + f.Oracle, f, -1})
		case f.Oracle != "":
			first = append(first, violation{"oracle " + f.Oracle, f, -1})
		case verbOf(f) == "ccm":
			f.Because = becauseRuns
			then = append(then, violation{f.Step, f, failedStep(r, f)})
		case judges(f):
			then = append(then, violation{f.Because, f, failedStep(r, f)})
		}
	}
	return slices.Concat(first, then, last)
}

// becauseRuns is what a CCM breaks that a step of its process fails with.
const becauseRuns = "A CCM must start, and be healthy soon, while the cloud and the cluster answer it as they should."

// judges reports whether a step judges the CCM by what it expects.
func judges(f scenarios.Failure) bool {
	return verbOf(f) == "expect" && !strings.HasPrefix(f.Because, aside)
}

func verbOf(f scenarios.Failure) string {
	verb, _, _ := strings.Cut(f.Step, " ")
	return verb
}

// headline says in a line what was broken.
func headline(f scenarios.Failure) string {
	switch {
	case f.Oracle != "":
		return "oracle " + f.Oracle + ": " + f.Headline
	case verbOf(f) == "ccm":
		first, _, _ := strings.Cut(f.Headline, "\n")
		return first
	default:
		return f.Because
	}
}

func failedStep(r scenarios.Result, f scenarios.Failure) int {
	if f.Finally {
		return -1
	}
	return slices.IndexFunc(r.Steps, func(s scenarios.StepResult) bool { return !s.Passed })
}
