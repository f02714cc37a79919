package scenariotest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// ending is a test that keeps how it was told to end, in place of ending so.
type ending struct {
	testing.TB
	ended []string
}

func (e *ending) Logf(format string, args ...any) {
	e.ended = append(e.ended, "log: "+fmt.Sprintf(format, args...))
}

func (e *ending) Skipf(format string, args ...any) {
	e.ended = append(e.ended, "skip: "+fmt.Sprintf(format, args...))
}

func (e *ending) Errorf(format string, args ...any) {
	e.ended = append(e.ended, "error: "+fmt.Sprintf(format, args...))
}

// TestKnownFailures: a failure that the profile knows skips the subtest with its issue, any other fails it, and a
// scenario that passes though it is known as failing is passed with a line that tells so.
func TestKnownFailures(t *testing.T) {
	t.Parallel()
	known := scenarios.KnownFailures{{Scenario: "one", Issue: "acme/ccm#1", Why: "It asks once."}}
	for _, c := range []struct {
		name, expects string
		known         scenarios.KnownFailures
		want          string
	}{
		{"known", "nodes.size() == 1", known, "skip: known failure: acme/ccm#1: It asks once."},
		{"unknown", "nodes.size() == 1", nil, "error: scenario one: failed"},
		{"passed though known", "nodes.size() == 0", known, "log: passed, though known as failing: take it off the list (acme/ccm#1: It asks once.)"},
		{"passed", "nodes.size() == 0", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := suite{
					Config: Config{Profile: profile.Profile{Known: c.known}}, slots: make(chan int, 1), results: make(chan scenarios.Report, 1),
					clusters: &run.Pool{
						Start:  func(context.Context, int) (run.Cluster, error) { return steptest.NewCluster(t), nil },
						Wanted: func() bool { return false },
					},
				}
				r.slots <- 0
				all, err := run.Parse("one.yaml", []byte(oneExpectation+c.expects+"\n"))
				if err != nil {
					t.Fatal(err)
				}
				told := &ending{TB: t}
				r.one(told, all[0])
				if got := strings.Join(told.ended, "\n"); got != c.want {
					t.Errorf("the test is told %q, want %q", got, c.want)
				}
				if err := r.clusters.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

const oneExpectation = `apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: one}
spec:
  description: Something that a CCM must do.
  ccm: stopped
  steps:
  - expect: `
