package step

import (
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
)

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
