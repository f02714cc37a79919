package scenarios

import (
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"testing"
)

// TestJUnit pins the file that CI servers read. A case has one end at most, as JUnit's schemas want it.
func TestJUnit(t *testing.T) {
	raw, err := JUnit(Report{Seconds: 3, Seed: 7, Subject: "my-ccm", Parallel: 2, Scenarios: []Result{
		{Name: "one", File: "one.yaml", Status: Passed, Seconds: 1},
		{Name: "two", File: "two.yaml", Status: Failed, Seconds: 2, Failures: []Failure{{Position: "two.yaml:3:5", Headline: "it is not so", Because: "A CCM must <do> it.", CCMLog: []string{"\x1b[31mred"}}, {Oracle: "leak", Headline: "something is left"}}},
		{Name: "judged[how=kill]#2", File: "two.yaml", Status: Failed, Seconds: 2, Failures: []Failure{{Oracle: "leak", Headline: "something is left"}}},
		{Name: "three", File: "three.yaml", Status: Broken, Error: "no etcd\nthe end of its log"},
		{Name: "half", File: "half.yaml", Status: Interrupted},
		{Name: "four", File: "four.yaml", Status: NotRun},
		{Name: "five", File: "five.yaml", Status: Skipped, Reason: "it is for another CCM"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/junit.xml", raw)
}
