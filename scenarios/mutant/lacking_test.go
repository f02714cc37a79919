package mutant

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
)

// sampledLacking is how many scenarios the gate runs with providers that lack something, others for each commit.
const sampledLacking = 24

// TestLacking: each scenario passes with a provider that lacks a capability, or does not apply: what it assumes of a CCM it
// declares. The gate runs a sample, the nightly run all, an hour of simulated time in some minutes.
func TestLacking(t *testing.T) {
	t.Parallel()
	trials := lackingTrials(t)
	named := map[string]trial{}
	for _, trial := range trials {
		named[trial.mutant.Name+" "+trial.scenario.Name] = trial
	}
	var chosenTrials []trial
	for _, name := range planetest.Sample(slices.Collect(maps.Keys(named)), sampledLacking) {
		chosenTrials = append(chosenTrials, named[name])
	}
	if len(chosenTrials) == 0 {
		t.Skip("no sample: set " + planetest.EnvSample)
	}
	for _, p := range simulated(t, chosenTrials, func(Pair) {}) {
		if p.Status != scenarios.Passed && p.Status != scenarios.Skipped {
			t.Errorf("%s: %s: %s, want it to pass or to declare the capability: %s", p.Bug, p.Scenario, p.Status, p.Verdict)
		}
	}
}

// lackingTrials are all scenarios with all providers that lack something, but those that do not apply by what they declare.
func lackingTrials(t *testing.T) (trials []trial) {
	t.Helper()
	all := library(t)
	for _, m := range Lacking() {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if s := all[name]; s.KnownIssue == nil && !s.Packets && len(m.capabilities().Lacking(s)) == 0 {
				trials = append(trials, trial{mutant: m, scenario: s})
			}
		}
	}
	return trials
}

// TestEachCapabilityIsLacked: there is a provider that lacks each capability, or a reason why there is none.
func TestEachCapabilityIsLacked(t *testing.T) {
	t.Parallel()
	var lacked []string
	for _, m := range Lacking() {
		lacked = append(lacked, m.lacks)
		for _, also := range m.also {
			if !slices.Contains(scenarios.CapabilityNames(), also) {
				t.Errorf("%s: there is no capability %s", m.Name, also)
			}
		}
		if found, err := Find(m.Name); err != nil || found.lacks != m.lacks {
			t.Errorf("%s is not found: %v", m.Name, err)
		}
	}
	for _, name := range scenarios.CapabilityNames() {
		if slices.Contains(lacked, name) == (notLacked[name] != "") {
			t.Errorf("%s: lacked by a provider: %t, reason why it is not: %q", name, slices.Contains(lacked, name), notLacked[name])
		}
	}
}

// TestLackingDoc holds docs/lacking.md against what the scenarios declare. That a scenario passes where it is not
// skipped is what TestLacking shows.
func TestLackingDoc(t *testing.T) {
	t.Parallel()
	golden.Check(t, filepath.Join("..", "..", "docs", "lacking.md"), []byte(lackingDoc(t)))
}

func lackingDoc(t *testing.T) string {
	t.Helper()
	all := library(t)
	providers := Lacking()
	var b strings.Builder
	b.WriteString("# Scenarios and providers that lack a capability\n\n" +
		"A CCM need not have each [capability](testing-your-ccm.md). Each scenario of the library runs with providers that lack one: the\n" +
		"provider does not implement it, or the cloud refuses it. The scenario passes then, or it declares the capability and is skipped.\n" +
		"`TestLacking` runs all pairs at night, in simulated time, and a sample for each commit.\n\n" +
		"Not tried are:\n\n")
	for _, name := range slices.Sorted(maps.Keys(notLacked)) {
		fmt.Fprintf(&b, "- `%s`: %s.\n", name, notLacked[name])
	}
	b.WriteString("\nA provider without the first capability cannot have the others:\n\n")
	for _, m := range providers {
		if len(m.also) > 0 {
			fmt.Fprintf(&b, "- `%s`: `%s`.\n", m.lacks, strings.Join(m.also, "`, `"))
		}
	}
	b.WriteString("\n| scenario | skipped without | passes without |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name].KnownIssue != nil || all[name].Packets { // packets need real time
			continue
		}
		var skipped, passes []string
		for _, m := range providers {
			if len(m.capabilities().Lacking(all[name])) > 0 {
				skipped = append(skipped, "`"+m.lacks+"`")
			} else {
				passes = append(passes, m.lacks)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d of %d |\n", strings.ReplaceAll(name, "|", `\|`), strings.Join(skipped, ", "), len(passes), len(providers))
	}
	return b.String()
}
