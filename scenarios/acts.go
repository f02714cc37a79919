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

// actedBetween reports whether a step that acts began in a time.
func (st *stage) actedBetween(from, to time.Time) bool {
	return slices.ContainsFunc(st.acts, func(a act) bool { return a.from.After(from) && a.from.Before(to) })
}

// lastAct is when the last step that acts had ended; the scenario's begin when none has.
func (st *stage) lastAct() time.Time {
	if len(st.acts) == 0 {
		return st.store.start
	}
	return st.acts[len(st.acts)-1].to
}

// when says how long after the scenario's begin something was.
func (st *stage) when(t time.Time) string { return rounded(t.Sub(st.store.start)).String() }
