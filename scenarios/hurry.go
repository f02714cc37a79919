package scenarios

import (
	"slices"
	"time"
)

// Hurried returns the scenario with less patience: what has to be true within
// some time has at most this long for it. It is for CCMs that are known to be
// wrong, of which nothing more is to come.
func (s *Scenario) Hurried(most time.Duration) *Scenario {
	hurried := *s
	hurried.Steps, hurried.Finally = hurriedSteps(s.Steps, most), hurriedSteps(s.Finally, most)
	return &hurried
}

func hurriedSteps(steps []Step, most time.Duration) []Step {
	steps = slices.Clone(steps)
	for i, step := range steps {
		if a, ok := step.action.(*expectAction); ok && a.mode == within {
			patient := *a
			patient.time = min(a.time, most)
			steps[i].action = &patient
		}
	}
	return steps
}
