package run

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// mark is a moment of a scenario, to tell what came after it.
type mark struct {
	calls  int
	events map[string]string // version by UID
}

func markOf(st *step.Stage) mark {
	s := st.Store.Snapshot()
	m := mark{calls: len(s.Calls), events: map[string]string{}}
	for _, e := range s.Events {
		m.events[observe.EventKey(e)] = observe.EventVersion(e)
	}
	return m
}

// stepFailure describes how a step failed.
func stepFailure(st *step.Stage, failed scenarios.Step, since mark, err error) scenarios.Failure {
	f := scenarios.Failure{Position: failed.Place(), Step: failed.Text, Headline: err.Error(), Because: failed.Because}
	if f.Because == "" {
		f.Because = st.Scenario.Description
	}
	s := st.Store.Snapshot()
	var unmet *step.ExpectationError
	if errors.As(err, &unmet) {
		f.Expression, f.Values = unmet.Source, unmet.Parts
		f.Headline = fmt.Sprintf("%s (%s)", unmet.Headline, words.Plural(unmet.Looked, cmp.Or(unmet.What, "snapshot")))
	}
	if step.IsMistake(err) {
		f.Invalid, f.Because = true, ""
		return f
	}
	f.Calls, f.CloudErrors = observe.CallLines(s.Calls[min(since.calls, len(s.Calls)):])
	var events []any
	for _, e := range s.Events {
		if since.events[observe.EventKey(e)] != observe.EventVersion(e) {
			events = append(events, e)
		}
	}
	f.Events = words.LastOf(observe.EventLines(events), observe.MostEvents)
	f.CCMLog = failureLog(st, f)
	f.CCM = ccmTrouble(st)
	return f
}

// ccmTrouble says what is wrong with the CCM itself.
func ccmTrouble(st *step.Stage) string {
	switch exits := len(st.CCM.Exits()); {
	case !st.CCM.Running() && exits > 0:
		return "it does not run: it has ended by itself"
	case !st.CCM.Running():
		return "none is running"
	case exits > 0:
		return fmt.Sprintf("it has ended by itself, or panicked, %s", words.Times(exits))
	case !st.InCluster && len(st.Store.Snapshot().Calls) == 0:
		return silence(st)
	}
	return ""
}

// silence says what a CCM does that has not called the cloud in the scenario; empty when only its log can tell.
func silence(st *step.Stage) string {
	logged := len(st.CCM.LogTail(1)) > 0
	asked, recorded := askedOf(st)
	switch {
	case len(asked) > 0:
		return "it has made no call to the cloud; it asked the API server to " + firstOf(asked, mostAsked)
	case recorded && logged:
		return "it has made no call to the cloud or the API server: see its log"
	case recorded:
		return "it has made no call to the cloud or the API server, and logged nothing: check its command line"
	case !logged:
		return "it has made no call to the cloud, and logged nothing: check its command line"
	}
	return ""
}

// mostAsked is how many kinds of requests a failure names.
const mostAsked = 8

// firstOf joins the first texts, and counts the others.
func firstOf(all []string, most int) string {
	text := strings.Join(all[:min(most, len(all))], ", ")
	if more := len(all) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// askedOf lists what the CCM has asked of the API server in a scenario, and reports whether that was recorded.
func askedOf(st *step.Stage) (asked []string, recorded bool) {
	if st.Asked == nil {
		return nil, false
	}
	asked, err := st.Asked(st.Store.Start)
	return asked, err == nil
}
