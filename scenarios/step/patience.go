package step

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Patience is how long the oracles wait, or tolerate something, that takes d on
// a machine that is as fast as the one that the limits were measured on. What
// has an order, by revisions and numbers of calls, is not a matter of patience.
func (w World) Patience(d time.Duration) time.Duration {
	if w.Factor <= 0 {
		return d
	}
	return time.Duration(float64(d) * w.Factor)
}

// Scaled returns the scenario for a machine that is slower by the factor: all its
// bounds on time, and the times for which something must hold, are that much
// longer. What the cloud is told to take, such as a fault's delay, stays.
func Scaled(s *scenarios.Scenario, factor float64) *scenarios.Scenario {
	if factor <= 1 {
		return s
	}
	scaled := *s
	scaled.Timeout = longer(s.Timeout, factor)
	scaled.Steps, scaled.Finally = scaledSteps(s.Steps, factor), scaledSteps(s.Finally, factor)
	return &scaled
}

func scaledSteps(steps []scenarios.Step, factor float64) []scenarios.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].Timeout = longer(steps[i].Timeout, factor)
		if a, ok := steps[i].Action.(scalable); ok {
			steps[i].Action = a.scaled(factor)
		}
	}
	return steps
}

// scalable is an action that takes time, or waits.
type scalable interface {
	// scaled is the action for a machine that is slower by the factor.
	scaled(factor float64) action
}

func (a *ExpectAction) scaled(factor float64) action {
	slower := *a
	slower.Time = longer(a.Time, factor)
	return &slower
}

func (a *execAction) scaled(factor float64) action {
	slower := *a
	slower.time, slower.Timeout = longer(a.time, factor), longer(a.Timeout, factor)
	return &slower
}

func (a *sleepAction) scaled(factor float64) action { return &sleepAction{longer(a.For, factor)} }

func longer(d time.Duration, factor float64) time.Duration {
	return time.Duration(factor * float64(d))
}

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
