package scenarios

import (
	"slices"
	"time"
)

// act is a step that may have changed the world, and when it ran.
type act struct {
	verb     string
	from, to time.Time
}

// looking are the verbs of steps that change nothing of what a CCM looks after.
var looking = []string{"expect", "capture", "sleep", "http", "udp", "exec", "traffic"}

// acting notes that a step begins; the function that it returns, that the step has ended.
func (st *stage) acting(step Step) (ended func()) {
	if slices.Contains(looking, step.Verb) {
		return func() {}
	}
	st.acts = append(st.acts, act{verb: step.Verb, from: time.Now()})
	return func() { st.acts[len(st.acts)-1].to = time.Now() }
}
