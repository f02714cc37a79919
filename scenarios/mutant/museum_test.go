package mutant

import (
	"cmp"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// provesOracle names for each oracle a mutant at which it objects. The gate runs these.
var provesOracle = map[string]string{
	"foreign-kept":      "foreign-address-released",
	"node-kept":         "stopped-taken-for-gone",
	"one-load-balancer": "lb-made-twice",
	"address-kept":      "port-change-makes-lb-anew",
	"no-flapping":       "targets-rebuilt",
	"idle-writes":       "labels-rewritten",
	"call-budget":       "each-vm-asked-for",
	"ccm-alive":         "panic-on-missing-fields",
	"no-secrets":        "token-logged",
	"leak":              "floating-ip-forgotten",
}

// ordinary is the scenario that a provider without a bug must pass.
const ordinary = "plain-day"

// sampled is how many other mutants the gate runs, others for each commit.
const sampled = 2

// TestMuseum: each mutant is killed by its scenario, for the right reason, and
// each oracle objects at the one that proves it. A provider without a bug passes. The gate runs
// those of the oracles and a sample of the others.
func TestMuseum(t *testing.T) {
	b := newBench(t)
	named := library(t)
	for _, mutant := range chosenMutants() {
		if s := named[mutant.KilledBy]; s != nil && s.LagsAPI {
			continue // TestSimulate tries it: no real API server can be made to lag
		}
		t.Run(mutant.Name, func(t *testing.T) {
			t.Parallel()
			r := b.run(t, trial{mutant, named[cmp.Or(mutant.KilledBy, ordinary)]})
			if mutant.KilledBy == "" {
				if r.Status != scenarios.Passed {
					t.Errorf("a right provider: %s, want it to pass:\n%s", r.Status, report.Finished(r))
				}
				return
			}
			if !kills(mutant, r) {
				t.Errorf("%s: %s, want it to say %q:\n%s", mutant.KilledBy, r.Status, mutant.Reason, report.Finished(r))
			}
			for oracle, proof := range provesOracle {
				if proof == mutant.Name && !slices.ContainsFunc(r.Failures, func(f scenarios.Failure) bool { return f.Oracle == oracle }) {
					t.Errorf("the oracle %s does not object:\n%s", oracle, report.Finished(r))
				}
			}
		})
	}
}

// chosenMutants are those that the run tries, in the order of the table.
func chosenMutants() []Mutant {
	gate := map[string]bool{}
	for _, name := range provesOracle {
		gate[name] = true
	}
	var others []string
	all := append(All(), groupsRemoved)
	for _, mutant := range all {
		if !gate[mutant.Name] {
			others = append(others, mutant.Name)
		}
	}
	for _, name := range planetest.Sample(others, sampled) {
		gate[name] = true
	}
	return slices.DeleteFunc(all, func(b Mutant) bool { return !gate[b.Name] })
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
