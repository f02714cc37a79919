package simulated_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/subject/aws/simulated"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/scenariotest"
)

// TestCore: the provider of AWS passes the core scenarios in simulated time, with each kind of its load balancers. None is skipped.
func TestCore(t *testing.T) {
	for _, name := range []string{"aws", "aws-nlb"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Run("scenarios", func(t *testing.T) { simulate(t, name, dir) })
			whole, err := report.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			const core = 4
			if n := len(whole.Report.Scenarios); n != core {
				t.Errorf("%d scenarios have run, want %d", n, core)
			}
			for _, s := range whole.Report.Scenarios {
				if s.Status != scenarios.Passed {
					t.Errorf("%s: %s %s", s.Name, s.Status, s.Reason)
				}
			}
		})
	}
}

// simulate runs the core scenarios with a profile, and writes the report into a folder.
func simulate(t *testing.T, name, dir string) {
	p, err := profile.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	scenariotest.Simulate(t, scenariotest.Config{
		Subject: scenariotest.CloudProvider(name, simulated.Open), Profile: p, Scenarios: scenariotest.Library(t, "tier=core"), Report: dir,
	})
}
