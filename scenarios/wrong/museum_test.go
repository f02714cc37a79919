package wrong

import (
	"os"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestMuseum: each wrong provider is caught by its scenario, for the right reason.
// SIMCLOUD_BUG chooses some by a part of their names.
func TestMuseum(t *testing.T) {
	b := newBench(t, 3)
	named := library(t)
	var trials []trial
	for _, bug := range Bugs() {
		if strings.Contains(bug.Name, os.Getenv("SIMCLOUD_BUG")) {
			trials = append(trials, trial{bug, named[bug.Scenario]})
		}
	}
	objected := map[string]bool{}
	for i, r := range b.run(trials) {
		bug := trials[i].bug
		for _, f := range r.Failures {
			objected[f.Oracle] = true
		}
		t.Run(bug.Name, func(t *testing.T) {
			if r.Status != scenarios.Failed || !strings.Contains(verdict(r), bug.Caught) {
				t.Errorf("%s: %s, want it to say %q:\n%s", bug.Scenario, r.Status, bug.Caught, scenarios.Finished(r))
			}
		})
	}
	for _, oracle := range scenarios.Oracles() {
		if !objected[oracle] && os.Getenv("SIMCLOUD_BUG") == "" {
			t.Errorf("no wrong provider has made the oracle %s object", oracle)
		}
	}
}
