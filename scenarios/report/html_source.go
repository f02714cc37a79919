package report

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// sourceLine is a line of a scenario's file, with the steps that begin in it.
type sourceLine struct {
	Number int
	Text   string
	// Class is how the steps ended, and Took when they began and how long they took; empty for a line without steps that ran.
	Class, Took string
	// From and To are their time, and Places their positions, one a line, as the timeline has them.
	From, To float64
	Places   string
}

// sourceLines are the lines of the scenario's file; none when the report does not have it.
func sourceLines(s scenarios.Result) []sourceLine {
	if s.Source == nil {
		return nil
	}
	var all []sourceLine
	for i, text := range strings.Split(s.Source.Text, "\n") {
		all = append(all, sourceLine{Number: s.Source.Line + i, Text: text})
	}
	for _, step := range s.Steps {
		for _, place := range placesIn(step.Position) {
			if i := place.Line - s.Source.Line; place.File == s.File && i >= 0 && i < len(all) {
				all[i].add(step)
				break
			}
		}
	}
	return all
}

// add takes in a step that begins in the line, or is used there. Of several, as of a list of steps, the time is that of
// all, and they failed if one did.
func (l *sourceLine) add(step scenarios.StepResult) {
	until := step.At + step.Seconds
	if l.Class == "" {
		l.From, l.To, l.Class, l.Places = step.At, until, "passed", step.Position
	} else if !strings.HasSuffix("\n"+l.Places, "\n"+step.Position) {
		l.Places += "\n" + step.Position
	}
	l.To = max(l.To, until)
	if !step.Passed {
		l.Class = "failed"
	}
	l.Took = fmt.Sprintf("%s: began at %.2f s, took %.2f s", l.Class, l.From, l.To-l.From)
}
