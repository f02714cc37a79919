package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// loggingCluster is one whose CCM and standby log when the cloud is called.
type loggingCluster struct {
	*steptest.Cluster
	logs []string
}

func (c loggingCluster) World() (step.World, error) {
	w, err := c.Cluster.World()
	w.Logs = c.logs
	return w, err
}

func (c loggingCluster) log(t *testing.T, line string) {
	t.Helper()
	for _, path := range c.logs {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(line + " of " + filepath.Base(path) + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLogsOfAScenario: each has what the CCM and its standby logged in it alone,
// and the calls of all clients that have changed the cloud.
func TestLogsOfAScenario(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake, dir := steptest.NewCluster(t), t.TempDir()
		cluster := loggingCluster{fake, []string{filepath.Join(fake.Dir, "ccm.log"), filepath.Join(fake.Dir, "ccm-standby.log")}}
		cluster.log(t, "before")
		answer, calls := fake.Cloud.Answer, 0
		fake.Cloud.Answer = func(operation string, args map[string]any) (any, error) {
			if operation == "CreateLoadBalancer" {
				calls++
				cluster.log(t, strings.Repeat("again and ", calls-1)+"during")
				_, _ = fake.Cloud.GetInstance(t.Context(), "i-1")
			}
			return answer(operation, args)
		}
		report, out, err := runAll(t, t.Context(), Runner{Dir: dir, Open: func(context.Context, int) (Cluster, error) { return cluster, nil }},
			parsedScenario(t, "one", ""), parsedScenario(t, "two", ""))
		if err != nil || report.Count(scenarios.Passed) != 2 {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := reports.Write(dir, report); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"one/ccm.log": "during of ccm.log\n", "one/ccm-standby.log": "during of ccm-standby.log\n",
			"two/ccm.log": "again and during of ccm.log\n", "two/ccm-standby.log": "again and during of ccm-standby.log\n",
		} {
			if raw, err := os.ReadFile(filepath.Join(dir, "logs", name)); err != nil || string(raw) != want {
				t.Errorf("%s: %v: %q, want %q", name, err, raw, want)
			}
		}
		raw, err := os.ReadFile(filepath.Join(dir, "logs", "two", "journal.jsonl"))
		if text := string(raw); err != nil || strings.Count(text, `"operation":"CreateLoadBalancer"`) != 1 || !strings.Contains(text, steptest.HarnessAgent) || strings.Contains(text, "GetInstance") {
			t.Errorf("the journal: %v: %s", err, raw)
		}
	})
}

// TestLogIsOnTheTimeline: what the CCM logs in a scenario stands on its timeline, and in no other.
func TestLogIsOnTheTimeline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := steptest.NewCluster(t)
		cluster := loggingCluster{fake, []string{filepath.Join(fake.Dir, "ccm.log")}}
		answer, calls := fake.Cloud.Answer, 0
		fake.Cloud.Answer = func(operation string, args map[string]any) (any, error) {
			if operation == "CreateLoadBalancer" {
				calls++
				cluster.log(t, fmt.Sprintf("E%s       1 lb.go:7] call %d", time.Now().In(time.Local).Format("0102 15:04:05.000000"), calls))
			}
			return answer(operation, args)
		}
		report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) { return cluster, nil }},
			parsedScenario(t, "one", ""), parsedScenario(t, "two", ""))
		if err != nil || report.Count(scenarios.Passed) != 2 {
			t.Fatalf("%v\n%s", err, out)
		}
		for i, want := range []string{"lb.go:7] call 1 of ccm.log", "lb.go:7] call 2 of ccm.log"} {
			var logged []string
			for _, m := range report.Scenarios[i].Timeline {
				if m.Lane == scenarios.LaneLog {
					logged = append(logged, m.Title)
				}
			}
			if len(logged) != 1 || logged[0] != want {
				t.Errorf("the timeline of the scenario %d has %q, want %q", i+1, logged, want)
			}
		}
	})
}
