package scenarios

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Hurried returns the scenario with less patience: what has to be true within
// some time has at most this long for it. It is for CCMs that are known to be
// wrong, of which nothing more is to come.
func (s *Scenario) Hurried(most time.Duration) *Scenario {
	return s.hurried(most, func(Step) bool { return true })
}

// HurriedFor is Hurried for a CCM of which it is known what its failure will say: without patience are
// the steps whose because has these words, and finally. The others have their time, also on a machine that is
// busy, or the scenario would fail with other words. When no step has them it is Hurried.
func (s *Scenario) HurriedFor(most time.Duration, words string) *Scenario {
	says := func(step Step) bool {
		because := cmp.Or(step.Because, s.Description) // as in a failure
		return strings.Contains(strings.Join(strings.Fields(because), " "), words)
	}
	if !slices.ContainsFunc(s.Steps, says) {
		return s.Hurried(most)
	}
	return s.hurried(most, says)
}

func (s *Scenario) hurried(most time.Duration, which func(Step) bool) *Scenario {
	hurried := *s
	hurried.Steps = hurriedSteps(s.Steps, most, which)
	hurried.Finally = hurriedSteps(s.Finally, most, func(Step) bool { return true })
	return &hurried
}

func hurriedSteps(steps []Step, most time.Duration, which func(Step) bool) []Step {
	steps = slices.Clone(steps)
	for i, step := range steps {
		if a, ok := step.action.(*expectAction); ok && a.mode == within && which(step) {
			patient := *a
			patient.time = min(a.time, most)
			steps[i].action = &patient
		}
	}
	return steps
}
