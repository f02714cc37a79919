package step

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Hurried returns the scenario with less patience: what has to be true within
// some time has at most this long for it. It is for CCMs that are known to be
// wrong, of which nothing more is to come.
func Hurried(s *scenarios.Scenario, most time.Duration) *scenarios.Scenario {
	return hurriedWhere(s, most, func(scenarios.Step) bool { return true })
}

// HurriedFor is Hurried for a CCM of which it is known what its failure will say: without patience are
// the steps whose because has these words, and finally. The others have their time, also on a machine that is
// busy, or the scenario would fail with other words. When no step has them it is Hurried.
func HurriedFor(s *scenarios.Scenario, most time.Duration, words string) *scenarios.Scenario {
	says := func(step scenarios.Step) bool {
		because := cmp.Or(step.Because, s.Description) // as in a failure
		return strings.Contains(strings.Join(strings.Fields(because), " "), words)
	}
	if !slices.ContainsFunc(s.Steps, says) {
		return Hurried(s, most)
	}
	return hurriedWhere(s, most, says)
}

func hurriedWhere(s *scenarios.Scenario, most time.Duration, which func(scenarios.Step) bool) *scenarios.Scenario {
	hurried := *s
	hurried.Steps = hurriedSteps(s.Steps, most, which)
	hurried.Finally = hurriedSteps(s.Finally, most, func(scenarios.Step) bool { return true })
	return &hurried
}

func hurriedSteps(steps []scenarios.Step, most time.Duration, which func(scenarios.Step) bool) []scenarios.Step {
	steps = slices.Clone(steps)
	for i, step := range steps {
		if a, ok := step.Action.(patient); ok && which(step) {
			steps[i].Action = a.hurried(most)
		}
	}
	return steps
}

// patient is an action that waits for what is to come.
type patient interface {
	// hurried is the action that waits at most this long.
	hurried(most time.Duration) action
}

func (a *ExpectAction) hurried(most time.Duration) action {
	if a.mode != within {
		return a
	}
	hurried := *a
	hurried.Time = min(a.Time, most)
	return &hurried
}
