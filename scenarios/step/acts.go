package step

import (
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Act is a step that may have changed the world, and when it ran.
type Act struct {
	Verb     string
	From, To time.Time
}

// looking are the verbs of steps that change nothing of what a CCM looks after.
var looking = []string{"expect", "capture", "sleep", "http", "udp", "exec", "traffic"}

// Acting notes that a step begins; the function that it returns, that the step has ended.
func (st *Stage) Acting(step scenarios.Step) (ended func()) {
	if slices.Contains(looking, step.Verb) {
		return func() {}
	}
	st.Acts = append(st.Acts, Act{Verb: step.Verb, From: time.Now()})
	return func() { st.Acts[len(st.Acts)-1].To = time.Now() }
}
