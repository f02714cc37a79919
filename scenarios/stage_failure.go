package scenarios

import (
	"cmp"
	"errors"
	"fmt"
)

// mark is a moment of a scenario, to tell what came after it.
type mark struct {
	calls  int
	events map[string]string // version by UID
}

func markOf(st *stage) mark {
	s := st.store.snapshot()
	m := mark{calls: len(s.calls), events: map[string]string{}}
	for _, e := range s.events {
		m.events[eventKey(e)] = eventVersion(e)
	}
	return m
}

// stepFailure describes how a step failed.
func stepFailure(st *stage, failed Step, since mark, err error) Failure {
	f := Failure{Position: failed.Place(), Step: failed.Text, Headline: err.Error(), Because: failed.Because}
	if f.Because == "" {
		f.Because = st.scenario.Description
	}
	s := st.store.snapshot()
	var unmet *expectationError
	if errors.As(err, &unmet) {
		f.Expression, f.Values = unmet.source, unmet.parts
		f.Headline = fmt.Sprintf("%s (%s)", unmet.headline, plural(unmet.looked, cmp.Or(unmet.what, "snapshot")))
	}
	f.Calls, f.CloudErrors = callLines(s.calls[min(since.calls, len(s.calls)):])
	var events []any
	for _, e := range s.events {
		if since.events[eventKey(e)] != eventVersion(e) {
			events = append(events, e)
		}
	}
	f.Events = lastOf(eventLines(events), mostEvents)
	f.CCMLog = st.CCM.LogTail(mostLogLines)
	f.CCM = ccmTrouble(st)
	return f
}

// ccmTrouble says what is wrong with the CCM itself.
func ccmTrouble(st *stage) string {
	switch exits := len(st.CCM.Exits()); {
	case !st.CCM.Running() && exits > 0:
		return "it does not run: it has ended by itself"
	case !st.CCM.Running():
		return "none is running"
	case exits > 0:
		return fmt.Sprintf("it has ended by itself, or panicked, %s", times(exits))
	}
	return ""
}
