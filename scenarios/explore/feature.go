package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// feature is something that a run has shown, in words without ids, numbers, addresses and times: it is the same
// wherever it is seen again.
type feature string

// featuresOf lists what a run of a scenario has shown: the calls of the CCM with their outcomes and the effects of
// faults, the states that resources and objects went through, Events, the first lines of what the CCM logged, and
// how long promises took to be kept.
func featuresOf(s *scenarios.Scenario, r scenarios.Result) []feature {
	all, raw := map[feature]bool{}, map[string]bool{}
	add := func(kind, text string) {
		if text = kind + " " + text; !raw[text] { // most of a run is what it has shown before
			raw[text] = true
			all[feature(normal(text))] = true
		}
	}
	callFeatures(r.CallValues, add)
	promiseFeatures(s, r, add)
	for _, m := range r.Timeline {
		momentFeatures(m, add)
	}
	for _, f := range r.Failures {
		add("failure", headline(f))
	}
	return slices.Sorted(maps.Keys(all))
}

// callFeatures are each operation with its outcome, and which outcome followed which about the same kind of
// resource, of calls that write or fail.
func callFeatures(calls []any, add func(kind, text string)) {
	last := map[string]string{}
	for _, c := range calls {
		text := func(key string) string { return fmt.Sprint(observe.Dig(c, key)) }
		outcome := strings.TrimSpace(text("operation") + " " + text("code"))
		add("call", fmt.Sprintf("%s %s %s", outcome, text("effect"), class(observe.Dig(c, "status"))))
		if observe.Dig(c, "write") != true && text("code") == "" {
			continue
		}
		about, _, _ := strings.Cut(text("resource"), "/")
		if before := last[about]; before != "" {
			add("then", before+" → "+outcome)
		}
		last[about] = outcome
	}
}

// class says in a word what a status means.
func class(status any) string {
	switch n, _ := status.(int64); {
	case n == 0:
		return "lost"
	case n < 400:
		return "done"
	case n < 500:
		return "refused"
	default:
		return "failed"
	}
}

// promiseFeatures are the expectations that were looked at, and how long they took.
func promiseFeatures(s *scenarios.Scenario, r scenarios.Result, add func(kind, text string)) {
	for i, step := range r.Steps {
		if step.Finally || i >= len(s.Steps) || s.Steps[i].Because == "" {
			continue
		}
		add("promise", shortened(s.Steps[i].Because)+" "+pace(step))
	}
}

// pace says roughly how long a step took.
func pace(s scenarios.StepResult) string {
	switch {
	case !s.Passed:
		return "never"
	case s.Seconds < 1:
		return "at once"
	case s.Seconds < 10:
		return "soon"
	default:
		return "late"
	}
}

// momentFeatures are what a moment of the timeline shows.
func momentFeatures(m scenarios.TimelineEntry, add func(kind, text string)) {
	switch m.Lane {
	case scenarios.LaneLog:
		line, _, _ := strings.Cut(m.Title, " ×") // how often it came
		add("log", m.Detail["level"]+" "+shortened(line))
	case scenarios.LaneCCM:
		if m.Failed {
			add("ccm", shortened(m.Title))
		}
	case scenarios.LaneCloud, scenarios.LaneKube:
		changeFeatures(m, add)
	default: // calls are seen without a limit elsewhere, and steps are the history itself
	}
}

// changeFeatures are how a resource or an object changed, or the Event that was there.
func changeFeatures(m scenarios.TimelineEntry, add func(kind, text string)) {
	kind := string(m.Lane)
	if reason := m.Detail["reason"]; reason != "" {
		about, _, _ := strings.Cut(m.Detail["about"], "/")
		add("event", m.Detail["type"]+" "+reason+" "+about)
		return
	}
	if m.Detail["step"] != "" {
		return // a step of the history
	}
	what, _, _ := strings.Cut(m.Title, " ")
	if strings.HasSuffix(m.Title, " created") || strings.HasSuffix(m.Title, " deleted") {
		add(kind, what+m.Title[strings.LastIndex(m.Title, " "):])
		return
	}
	for name, change := range m.Detail {
		if name != "by" && name != "operationID" {
			add(kind, what+" "+name+" "+change)
		}
	}
}

// mostWords is how much of a sentence a feature has.
const mostWords = 16

func shortened(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(first)
	return strings.Join(words[:min(len(words), mostWords)], " ")
}
