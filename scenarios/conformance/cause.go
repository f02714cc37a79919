package conformance

import (
	"fmt"
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

// causesOf groups the clauses that failed by what their scenarios failed with.
func causesOf(areas []AreaVerdict, results map[string]scenarios.Result) (causes []Cause) {
	var groups scenarios.Causes
	for _, clause := range failedClauses(areas) {
		for _, s := range clause.Scenarios {
			if s.Status != scenarios.Failed {
				continue
			}
			for _, f := range results[s.Name].Failures {
				groups.Add(clause.ID, f)
			}
		}
	}
	for _, c := range groups.Shared() {
		causes = append(causes, Cause{Finding: c.Finding, Clauses: c.Names})
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
