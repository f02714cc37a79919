package scenariotest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/explore"
)

// tell fails the test for a violation, and logs races.
func (c ExploreConfig) tell(t testing.TB, report explore.Report) {
	t.Helper()
	t.Logf("%d histories in %.1fs, seed %d", report.Histories, report.Seconds, c.Seed)
	for _, v := range slices.Concat(report.Unstable, report.Unconfirmed) {
		t.Logf("a race, which %d reruns did not show again: %s", v.Reruns, c.words(v))
	}
	if v := report.Violation; v != nil {
		t.Errorf("the CCM breaks a promise: %s", c.words(v))
	}
}

// words say what was found, and how to see it again.
func (c ExploreConfig) words(v *explore.Violation) string {
	return fmt.Sprintf("history %d of seed %d, shrunk from %d steps to %d by %d reruns\n\n%s\nThis scenario shows it:\n\n%s\n%s",
		v.History, c.Seed, v.FoundSteps, v.Steps, v.Reruns, strings.TrimRight(v.Failure.String(), "\n")+"\n", v.Text, c.again(v))
}

// again says how to see a violation again.
func (c ExploreConfig) again(v *explore.Violation) string {
	text := fmt.Sprintf("To see it again, save it as %s and run\n\n\tscenariotest.Simulate(t, scenariotest.Config{Subject: subject, Scenarios: scenariotest.Load(t, %[1]q)})\n",
		filepath.ToSlash(filepath.Join("testdata", v.Name+".yaml")))
	if !v.Bred {
		text += fmt.Sprintf("\nor explore with Seed: %d, History: %d.\n", c.Seed, v.History)
	}
	if c.Corpus != "" {
		text += fmt.Sprintf("\nThe corpus %s keeps it.\n", c.Corpus)
	}
	return text
}
