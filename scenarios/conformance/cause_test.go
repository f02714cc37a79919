package conformance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestCauses: clauses that fail with the same message of an oracle, whatever its ids, or on the same expression are told as
// one cause. A smaller group of the same clauses, a clause that fails alone, and a mistake of a file do not count.
func TestCauses(t *testing.T) {
	t.Parallel()
	oracle := func(name, headline string) scenarios.Failure {
		return scenarios.Failure{Oracle: name, Headline: headline}
	}
	step := func(expression string) scenarios.Failure {
		return scenarios.Failure{Position: "x", Headline: "the expectation is false", Expression: expression}
	}
	failures := map[string][]scenarios.Failure{
		"N01": {step("nodes.size() ==\n  1"), oracle("node-kept", "the Node node-1 was deleted while its VM i-1 exists")},
		"N02": {step("nodes.size() == 1")},
		"N03": {oracle("node-kept", "the Node node-2 was deleted while its VM i-22 exists")},
		"N04": {oracle("node-kept", "the Node node-3 was deleted while its VM i-3 exists")},
		"N05": {oracle("leak", "2 of the cloud's resources are left over")},
		"N06": {{Oracle: "leak", Headline: "2 of the cloud's resources are left over", Invalid: true}},
		"N07": {step("one")},
		"N08": {step("one")},
	}
	area, results := AreaVerdict{}, map[string]scenarios.Result{}
	for _, id := range []string{"N01", "N02", "N03", "N04", "N05", "N06", "N07", "N08"} {
		clause := ClauseVerdict{ID: id, Status: ClauseFailed, Scenarios: []ScenarioVerdict{{Name: id, Status: scenarios.Failed}}}
		if id == "N08" {
			clause.Status, clause.Scenarios[0].Status = ClauseKnownFailed, scenarios.KnownFailed
		}
		area.Clauses = append(area.Clauses, clause)
		results[id] = scenarios.Result{Name: id, Failures: failures[id]}
	}
	verdict := Verdict{Areas: []AreaVerdict{area}, Causes: causesOf([]AreaVerdict{area}, results)}
	want := []Cause{
		{"oracle node-kept: the Node node-1 was deleted while its VM i-1 exists", []string{"N01", "N03", "N04"}},
		{"nodes.size() == 1", []string{"N01", "N02"}},
	}
	if diff := cmp.Diff(want, verdict.Causes); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	for form, text := range map[string]string{"text": Text(verdict), "markdown": Markdown(verdict)} {
		if !strings.Contains(text, "3 clauses fail for one reason (N01, N03, N04): oracle node-kept") {
			t.Errorf("the %s does not tell the cause:\n%s", form, text)
		}
	}
}
