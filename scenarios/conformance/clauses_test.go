package conformance

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// TestConformanceDoc holds docs/conformance.md against the clauses and the scenarios.
func TestConformanceDoc(t *testing.T) {
	t.Parallel()
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("..", "..", "docs", "conformance.md"), []byte(conformanceDoc(all)))
}

// TestClausesAreChecked fails for a clause that no scenario checks, and for a
// scenario of the suite whose labels do not fit its name.
func TestClausesAreChecked(t *testing.T) {
	t.Parallel()
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, area := range clauses() {
		for _, status := range clauseStatuses(area, all) {
			if ids[status.ID] {
				t.Errorf("clause %s is there twice", status.ID)
			}
			ids[status.ID] = true
			if len(status.scenarios) == 0 && !status.Packets {
				t.Errorf("clause %s (%s) has no scenario", status.ID, status.Case)
			}
		}
	}
	for _, s := range all {
		if s.Labels[labelTier] == tierConformance {
			checkSuiteLabels(t, s, ids)
		}
	}
}

func checkSuiteLabels(t *testing.T, s *scenarios.Scenario, ids map[string]bool) {
	t.Helper()
	if !ids[s.Labels[labelClause]] {
		t.Errorf("%s: the label clause is %q: there is no such clause", s.Position, s.Labels[labelClause])
	}
	if file := filepath.Base(s.Position.File); file != s.Base+".yaml" {
		t.Errorf("%s: the scenario %s is in the file %s", s.Position, s.Name, file)
	}
	areas := map[string]string{"N": "node", "L": "lifecycle", "S": "service", "R": "route", "P": "process"}
	if clause := s.Labels[labelClause]; clause != "" && s.Labels["area"] != areas[clause[:1]] {
		t.Errorf("%s: the label area is %q: must be %q", s.Position, s.Labels["area"], areas[clause[:1]])
	}
	if limit, limited := s.Labels[labelLimit]; limited && !slices.Contains([]string{limitUpstream}, limit) {
		t.Errorf("%s: the label limit is %q: must be %q", s.Position, limit, limitUpstream)
	}
}
