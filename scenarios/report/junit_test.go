package report

import (
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
)

// TestJUnit pins the file that CI servers read. A case has one end at most, as JUnit's schemas want it.
func TestJUnit(t *testing.T) {
	raw, err := JUnit(scenarios.Report{Seconds: 3, Seed: 7, Subject: "my-ccm", Parallel: 2, Scenarios: []scenarios.Result{
		{Name: "one", File: "one.yaml", Status: scenarios.Passed, Seconds: 1},
		{Name: "two", File: "two.yaml", Status: scenarios.Failed, Seconds: 2, Failures: []scenarios.Failure{{Position: "two.yaml:3:5", Headline: "the expectation is false", Because: "A CCM must <do> it.", CCMLog: []string{"\x1b[31mred"}}, {Oracle: "leak", Headline: "something is left"}}},
		{Name: "judged[how=kill]#2", File: "two.yaml", Status: scenarios.Failed, Seconds: 2, Failures: []scenarios.Failure{{Oracle: "leak", Headline: "something is left"}}},
		{Name: "three", File: "three.yaml", Status: scenarios.Broken, Error: "no etcd\nthe end of its log"},
		{Name: "wrong", File: "wrong.yaml", Status: scenarios.Invalid, Failures: []scenarios.Failure{{Position: "wrong.yaml:3:5", Headline: "the cluster has no kind", Invalid: true}}},
		{Name: "half", File: "half.yaml", Status: scenarios.Interrupted},
		{Name: "four", File: "four.yaml", Status: scenarios.NotRun},
		{Name: "gap", File: "gap.yaml", Status: scenarios.Undecided, Seconds: 1, Reason: "the CCM had asked for octavia:ListFlavors", Failures: []scenarios.Failure{{Position: "gap.yaml:3:5", Headline: "the expectation is false", Undecided: true}}},
		{Name: "five", File: "five.yaml", Status: scenarios.Skipped, Reason: "it is for another CCM"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/junit.xml", raw)
}
