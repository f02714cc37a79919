package report

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// sourceLine is a line of a scenario's file, with the step that begins in it.
type sourceLine struct {
	Number int
	Text   string
	// Class is how the step ended, and Took when it began and how long it took; empty for a line without a step that ran.
	Class, Took string
	// From and To are its time.
	From, To float64
}

// sourceLines are the lines of the scenario's file; none when the report does not have it.
func sourceLines(s scenarios.Result) []sourceLine {
	if s.Source == nil {
		return nil
	}
	steps := stepsByLine(s)
	var all []sourceLine
	for i, text := range strings.Split(s.Source.Text, "\n") {
		line := sourceLine{Number: s.Source.Line + i, Text: text}
		if step, there := steps[line.Number]; there {
			line.Class, line.From, line.To = "failed", step.At, step.At+step.Seconds
			if step.Passed {
				line.Class = "passed"
			}
			line.Took = fmt.Sprintf("%s: began at %.2f s, took %.2f s", line.Class, step.At, step.Seconds)
		}
		all = append(all, line)
	}
	return all
}

// stepsByLine are the steps that ran, by the lines of the scenario's file in which they, or the uses of them, begin. Of
// several in a line, as of a used list of steps, it has one with the time of all, which failed if one did.
func stepsByLine(s scenarios.Result) map[int]scenarios.StepResult {
	steps := map[int]scenarios.StepResult{}
	for _, step := range s.Steps {
		for _, place := range placesIn(step.Position) {
			if place.File != s.File {
				continue
			}
			if before, there := steps[place.Line]; there {
				step.Seconds = step.At + step.Seconds - before.At
				step.At, step.Passed = before.At, before.Passed && step.Passed
			}
			steps[place.Line] = step
			break
		}
	}
	return steps
}
