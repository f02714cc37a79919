package explore

import (
	"reflect"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestViolations: oracles say most, what is left over least, and a step that could not be done nothing.
func TestViolations(t *testing.T) {
	r := scenarios.Result{
		Steps: []scenarios.StepResult{{Passed: true}, {Passed: false}, {Passed: false, Finally: true}},
		Failures: []scenarios.Failure{
			{Step: "expect within 40s: x", Because: "it must"},
			{Step: "cloud DeleteLoadBalancer", Because: "d"},
			{Step: "expect within 20s: silent", Because: becauseSilent},
			{Step: "expect within 20s: there", Because: becauseBoots},
			{Step: "ccm start", Because: "d", Headline: "start the CCM: it ended\nwith a log"},
			{Step: "expect within 40s: gone", Because: becauseServiceGone, Finally: true},
			{Oracle: "leak"},
			{Oracle: "node-kept"},
		},
	}
	var rules []string
	for _, v := range violations(r) {
		rules = append(rules, v.rule)
	}
	want := []string{"oracle node-kept", "it must", "ccm start", becauseServiceGone, "oracle leak"}
	if !reflect.DeepEqual(rules, want) {
		t.Errorf("%q, want %q", rules, want)
	}
	if got := violations(r)[1].step; got != 1 {
		t.Errorf("the step that failed is %d, want 1", got)
	}
	if got, want := headline(violations(r)[2].failure), "start the CCM: it ended"; got != want {
		t.Errorf("the headline is %q, want %q", got, want)
	}
	if got := violations(r)[3].step; got != -1 {
		t.Errorf("a step of finally is %d, want -1", got)
	}
}

// TestViolationsOfAWrongHistory: what is wrong in the file breaks no promise of the CCM, and neither does what simcloud lacks.
func TestViolationsOfAWrongHistory(t *testing.T) {
	r := scenarios.Result{Status: scenarios.Invalid, Failures: []scenarios.Failure{
		{Invalid: true, Oracle: "leak", Headline: "the scenario left over 1 resource"},
		{Invalid: true, Step: "expect now: x", Because: "A CCM must do it."},
		{Undecided: true, Step: "expect now: x", Because: "A CCM must do it."},
	}}
	if found := violations(r); len(found) != 0 {
		t.Errorf("it finds %+v", found)
	}
}
