package mutant

import (
	"cmp"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// ordinary is the scenario that a provider without a bug must pass.
const ordinary = "plain-day"

// sampled is how many mutants the gate runs on control planes, others for each commit: all of them run in simulated time.
const sampled = 2

// TestMuseum: each mutant is killed by its scenario, for the right reason, and
// each oracle objects at the one that proves it. A provider without a bug passes. The gate runs
// a sample.
func TestMuseum(t *testing.T) {
	b := newBench(t)
	named := library(t)
	for _, mutant := range chosenMutants() {
		if s := named[mutant.KilledBy]; s != nil && s.LagsAPI {
			continue // TestSimulate tries it: no real API server can be made to lag
		}
		t.Run(mutant.Name, func(t *testing.T) {
			t.Parallel()
			r := b.run(t, trial{mutant: mutant, scenario: named[cmp.Or(mutant.KilledBy, ordinary)]})
			if mutant.KilledBy == "" {
				if r.Status != scenarios.Passed {
					t.Errorf("a right provider: %s, want it to pass:\n%s", r.Status, report.Finished(r))
				}
				return
			}
			if !kills(mutant, r) {
				t.Errorf("%s: %s, want it to say %q:\n%s", mutant.KilledBy, r.Status, mutant.Reason, report.Finished(r))
			}
			if oracle := silent(mutant, r); oracle != "" {
				t.Errorf("the oracle %s does not object:\n%s", oracle, report.Finished(r))
			}
		})
	}
}

// chosenMutants are those that the run tries, in the order of the table.
func chosenMutants() []Mutant {
	all := append(All(), groupsRemoved)
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	chosen := planetest.Sample(names, sampled)
	return slices.DeleteFunc(all, func(m Mutant) bool { return !slices.Contains(chosen, m.Name) })
}

// TestEachOracleHasAMutant: no oracle is without a proof that it can object.
func TestEachOracleHasAMutant(t *testing.T) {
	t.Parallel()
	for _, oracle := range scenarios.Oracles() {
		if mutant, err := Find(provesOracle[oracle]); err != nil || mutant.Name == None {
			t.Errorf("the oracle %s: no mutant proves that it can object: %v", oracle, err)
		}
	}
}
