package conformance

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Cause is what several clauses fail for.
type Cause struct {
	// Finding is the oracle's message, or the expression that is not true, as one of the clauses has it.
	Finding string `json:"finding"`
	// Clauses are their ids, in their order.
	Clauses []string `json:"clauses"`
}

// String says how many clauses fail for it.
func (c Cause) String() string {
	return fmt.Sprintf("%d clauses fail for one reason (%s): %s", len(c.Clauses), strings.Join(c.Clauses, ", "), c.Finding)
}

// causesOf groups the clauses that failed by what their scenarios failed with: the same message of an oracle, or the same
// expression. Of a scenario all failures count, since an oracle finds the cause of an expectation that was not met. A group
// whose clauses are all in a larger one is left out.
func causesOf(areas []AreaVerdict, results map[string]scenarios.Result) []Cause {
	byKey := map[string]*Cause{}
	var all []*Cause
	for _, clause := range failedClauses(areas) {
		for _, s := range clause.Scenarios {
			for _, f := range results[s.Name].Failures {
				key, finding := causeOf(f)
				if s.Status != scenarios.Failed || key == "" {
					continue
				}
				if byKey[key] == nil {
					byKey[key] = &Cause{Finding: finding}
					all = append(all, byKey[key])
				}
				if c := byKey[key]; !slices.Contains(c.Clauses, clause.ID) {
					c.Clauses = append(c.Clauses, clause.ID)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Cause) int { return cmp.Compare(len(b.Clauses), len(a.Clauses)) })
	var causes []Cause
	for _, c := range all {
		if len(c.Clauses) > 1 && !slices.ContainsFunc(causes, c.within) {
			causes = append(causes, *c)
		}
	}
	return causes
}

func failedClauses(areas []AreaVerdict) (failed []ClauseVerdict) {
	for _, area := range areas {
		for _, clause := range area.Clauses {
			if clause.Status == ClauseFailed {
				failed = append(failed, clause)
			}
		}
	}
	return failed
}

// within reports whether all clauses of a cause have a larger one too.
func (c Cause) within(larger Cause) bool {
	return !slices.ContainsFunc(c.Clauses, func(id string) bool { return !slices.Contains(larger.Clauses, id) })
}

// number is what makes the messages of an oracle differ that mean the same: in ids, names and times.
var number = regexp.MustCompile(`\d+(\.\d+)?`)

// causeOf is what makes failures of one cause equal, and how people read it; nothing for a step that could not be done.
func causeOf(f scenarios.Failure) (key, finding string) {
	switch {
	case f.Invalid:
		return "", ""
	case f.Oracle != "":
		return "oracle " + f.Oracle + ": " + number.ReplaceAllString(f.Headline, "0"), findingOf(f)
	case f.Expression != "":
		return strings.Join(strings.Fields(f.Expression), " "), strings.Join(strings.Fields(f.Expression), " ")
	default:
		return "", ""
	}
}
