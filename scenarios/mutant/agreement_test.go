package mutant

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios"
)

// envAgreement names the file of what control planes have said: what it has is not run again there, and what is run is added to it. The
// table is written beside it.
const envAgreement = "SIMCLOUD_AGREEMENT"

// leastAgreement is the share of pairs, in percent, of which simulated time and control planes must say the same.
const leastAgreement = 98

// TestAgreement runs simcloud-ccm with the whole library, and each mutant with its scenario, in simulated time and on
// control planes: both must judge the same, and name the same reason. It takes a quarter of an hour, and so it runs only when
// SIMCLOUD_AGREEMENT names a file (and with -timeout 0).
func TestAgreement(t *testing.T) {
	path := os.Getenv(envAgreement)
	if path == "" {
		t.Skip(envAgreement + " names no file: this takes a quarter of an hour")
	}
	trials := agreementTrials(t)
	fast := simulated(t, trials, func(Pair) {})
	real := readPairs(t, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil { // before work that could not be kept
		t.Fatal(err)
	}
	onClusters(t, slices.DeleteFunc(trials, func(trial trial) bool {
		known := slices.ContainsFunc(real, func(p Pair) bool { return p.of(trial) })
		return known || slices.ContainsFunc(fast, func(p Pair) bool { return p.of(trial) && p.Status == scenarios.Skipped })
	}), func(p Pair) { addPair(t, path, p) })
	a := compare(fast, readPairs(t, path))
	if err := os.WriteFile(strings.TrimSuffix(path, filepath.Ext(path))+".md", []byte(a.table()), 0o600); err != nil {
		t.Error(err)
	}
	t.Log(a.table())
	if percent := 100 * a.agree / max(1, a.both); percent < leastAgreement {
		t.Errorf("they agree about %d of %d pairs, want %d%%", a.agree, a.both, leastAgreement)
	}
}

// agreementTrials are those that both should judge the same: the right provider with the library, and mutants with their scenarios.
func agreementTrials(t *testing.T) []trial {
	t.Helper()
	trials, err := ownTrials()
	if err != nil {
		t.Fatal(err)
	}
	right, err := Find(None)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range library(t) {
		if !slices.ContainsFunc(trials, func(of trial) bool { return of.mutant.Name == None && of.scenario == s }) {
			trials = append(trials, trial{mutant: right, scenario: s})
		}
	}
	slices.SortFunc(trials, func(a, b trial) int {
		return cmp.Or(strings.Compare(a.mutant.Name, b.mutant.Name), strings.Compare(a.scenario.Name, b.scenario.Name))
	})
	return trials
}

// agreement is how the pairs went that have run in simulated time and on control planes.
type agreement struct {
	both, agree int
	others      []string // rows of those about which they do not agree
	alone       int      // those that have run on one of them only
}

var (
	numbers   = regexp.MustCompile(`\d[\d.]*(ms|s|m|h)?(\d[\d.]*s)?`)
	snapshots = regexp.MustCompile(` \(# snapshots?\)`)
)

// reason is what a pair says, without what follows from the speed of the machine, or from how long a scenario waits for a mutant.
func (p Pair) reason() string {
	return snapshots.ReplaceAllString(numbers.ReplaceAllString(p.Verdict, "#"), "")
}

// compare compares pairs: the same verdict, and for a failure the same reason.
func compare(fast, real []Pair) (a agreement) {
	for _, p := range fast {
		at := slices.IndexFunc(real, func(other Pair) bool { return other.Bug == p.Bug && other.Scenario == p.Scenario })
		switch {
		case at < 0 || p.Status == scenarios.Skipped || real[at].Status == scenarios.Skipped:
			a.alone++
		case p.Status == real[at].Status && p.reason() == real[at].reason():
			a.both, a.agree = a.both+1, a.agree+1
		default:
			a.both++
			a.others = append(a.others, fmt.Sprintf("| %s | %s | %s %s | %s %s |", p.Bug, p.Scenario, p.Status, p.Verdict, real[at].Status, real[at].Verdict))
		}
	}
	return a
}

// table is the agreement in Markdown.
func (a agreement) table() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d of %d pairs agree; %d more run on one of the two only.\n", a.agree, a.both, a.alone)
	if len(a.others) > 0 {
		fmt.Fprintf(&out, "\n| mutant | scenario | in simulated time | on control planes |\n|---|---|---|---|\n%s\n", strings.Join(a.others, "\n"))
	}
	return out.String()
}

// TestVerdictsAreEqual: twenty scenarios, half of them with a mutant, are judged the same with each of five seeds.
func TestVerdictsAreEqual(t *testing.T) {
	planetest.Nightly(t, "TestSimulate and TestLibrary run each pair once")
	trials := agreementTrials(t)
	var twenty []trial
	for i := 0; len(twenty) < 20; i += len(trials) / 20 {
		twenty = append(twenty, trials[i])
	}
	var seeded []trial
	for seed := range uint64(5) {
		for _, of := range twenty {
			of.seed = seed + 1
			seeded = append(seeded, of)
		}
	}
	pairs := simulated(t, seeded, func(Pair) {})
	for _, of := range twenty {
		verdicts := map[string]int{}
		for _, p := range pairs {
			if p.of(of) {
				verdicts[string(p.Status)+" "+p.reason()]++
			}
		}
		if len(verdicts) != 1 {
			t.Errorf("%s with %s: %v", of.mutant.Name, of.scenario.Name, verdicts)
		}
	}
	if len(pairs) != 100 {
		t.Errorf("%d verdicts, want 100", len(pairs))
	}
}

// TestCompare: another verdict, another reason, and a pair of one side alone are told apart.
func TestCompare(t *testing.T) {
	t.Parallel()
	real := []Pair{{Bug: "a", Scenario: "s", Status: scenarios.Passed, Verdict: ""}, {Bug: "b", Scenario: "s", Status: scenarios.Failed, Verdict: "why"}, {Bug: "c", Scenario: "s", Status: scenarios.Failed, Verdict: "why"}, {Bug: "d", Scenario: "s", Status: scenarios.Passed, Verdict: ""}, {Bug: "e", Scenario: "s", Status: scenarios.Skipped, Verdict: "packets"}}
	one, other := Pair{Verdict: "the expectation did not become true within 1m0s (1 snapshot) Why"}, Pair{Verdict: "the expectation did not become true within 16.799999s (12 snapshots) Why"}
	if one.reason() != other.reason() {
		t.Errorf("%q is not %q", one.reason(), other.reason())
	}
	fast := []Pair{{Bug: "a", Scenario: "s", Status: scenarios.Failed, Verdict: "why"}, {Bug: "b", Scenario: "s", Status: scenarios.Failed, Verdict: "else"}, {Bug: "c", Scenario: "s", Status: scenarios.Failed, Verdict: "why"}, {Bug: "d", Scenario: "s", Status: scenarios.Skipped, Verdict: "port"}, {Bug: "e", Scenario: "s", Status: scenarios.Passed, Verdict: ""}, {Bug: "f", Scenario: "s", Status: scenarios.Passed, Verdict: ""}}
	a := compare(fast, real)
	if a.both != 3 || a.agree != 1 || a.alone != 3 || len(a.others) != 2 {
		t.Errorf("%+v", a)
	}
	for _, row := range []string{"| a | s | failed why | passed  |", "| b | s | failed else | failed why |"} {
		if !strings.Contains(a.table(), row) {
			t.Errorf("no %q in\n%s", row, a.table())
		}
	}
}
