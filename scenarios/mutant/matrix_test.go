package mutant

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// envMatrix names the file of the matrix: what it has is not run again, and what is run is added to it.
const envMatrix = "SIMCLOUD_MATRIX"

// TestMatrix runs every scenario of the regression corpus, and the core ones, with every
// mutant of the corpus, and with none. A mutant must be killed by its own scenario and by those
// of AlsoKilledBy, and by no other: one that fails with it for another reason judges
// what it does not mean to. It runs in simulated time, and what cannot on control planes. It takes half an hour, and so it runs only when
// SIMCLOUD_MATRIX names a file (and with -timeout 0). SIMCLOUD_BUG and
// SIMCLOUD_SCENARIO choose some by parts of their names, divided by commas.
func TestMatrix(t *testing.T) {
	path := os.Getenv(envMatrix)
	if path == "" {
		t.Skip(envMatrix + " names no file: this takes half an hour")
	}
	mutants := corpusMutants(t)
	fill(t, path, mutants)
	pairs := readPairs(t, path)
	for _, mutant := range mutants {
		t.Run(mutant.Name, func(t *testing.T) {
			for _, complaint := range judge(mutant, pairs) {
				t.Error(complaint)
			}
		})
	}
}

// fill runs the pairs that the file has not yet, and adds each when it is over.
func fill(t *testing.T, path string, mutants []Mutant) {
	t.Helper()
	had := readPairs(t, path)
	var trials []trial
	for _, mutant := range mutants {
		for _, s := range corpusScenarios(t) {
			if !slices.ContainsFunc(had, func(p Pair) bool { return p.of(trial{mutant: mutant, scenario: s}) }) {
				trials = append(trials, trial{mutant: mutant, scenario: s})
			}
		}
	}
	if len(trials) == 0 {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil { // before work that could not be kept
		t.Fatal(err)
	}
	left := skippedOf(trials, simulated(t, trials, func(p Pair) { addPair(t, path, p) }))
	onClusters(t, left, func(p Pair) { addPair(t, path, p) })
}

// skippedOf are the trials that did not run.
func skippedOf(trials []trial, pairs []Pair) (left []trial) {
	for _, trial := range trials {
		if slices.ContainsFunc(pairs, func(p Pair) bool { return p.of(trial) && p.Status == scenarios.Skipped }) {
			left = append(left, trial)
		}
	}
	return left
}

// of reports whether the pair is how a trial went.
func (p Pair) of(t trial) bool { return p.Bug == t.mutant.Name && p.Scenario == t.scenario.Name }

// simulated runs trials in simulated time, by the program, without the race detector. It keeps those that have run, and returns all.
func simulated(t *testing.T, trials []trial, keep func(Pair)) (pairs []Pair) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pairs.jsonl")
	for _, trial := range trials {
		addPair(t, file, Pair{Bug: trial.mutant.Name, Scenario: trial.scenario.Name, Seed: trial.seed})
	}
	out, err := exec.CommandContext(t.Context(), programOf(t), "--simulate-pairs", file).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, p := range parsePairs(t, file, out) {
		pairs = append(pairs, p)
		if p.Status != scenarios.Skipped {
			keep(p)
		}
	}
	return pairs
}

// onClusters runs trials on control planes, and keeps those that have run.
func onClusters(t *testing.T, trials []trial, keep func(Pair)) {
	t.Helper()
	if len(trials) == 0 {
		return
	}
	b := newBench(t)
	var running errgroup.Group
	running.SetLimit(parallel)
	var mu sync.Mutex // guards what is kept
	for _, trial := range trials {
		running.Go(func() error {
			p := trial.pair(b.run(t, trial))
			mu.Lock()
			defer mu.Unlock()
			if p.Status == scenarios.Passed || p.Status == scenarios.Failed || p.Status == scenarios.Skipped || p.Status == scenarios.Undecided {
				keep(p)
			}
			return nil
		})
	}
	_ = running.Wait() // no trial returns an error
}

// corpusMutants are the mutants of the matrix, after the one without a bug.
func corpusMutants(t *testing.T) []Mutant {
	t.Helper()
	right, err := Find(None)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(append([]Mutant{right}, All()...), func(b Mutant) bool {
		return b.Row == "" && b.Name != None || !chosen(b.Name, os.Getenv("SIMCLOUD_BUG"))
	})
}

// corpusScenarios are the scenarios of the matrix, by their names.
func corpusScenarios(t *testing.T) (all []*scenarios.Scenario) {
	t.Helper()
	for _, s := range library(t) {
		if slices.Contains([]string{tierMuseum, "core"}, s.Labels[labelTier]) && chosen(s.Name, os.Getenv("SIMCLOUD_SCENARIO")) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *scenarios.Scenario) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// chosen reports whether a name has one of the parts, or there are none.
func chosen(name, parts string) bool {
	return slices.ContainsFunc(strings.Split(parts, ","), func(part string) bool { return strings.Contains(name, part) })
}

// judge returns what is wrong with how scenarios went with a mutant.
func judge(mutant Mutant, pairs []Pair) (complaints []string) {
	for _, c := range pairs {
		own := c.Scenario == mutant.KilledBy
		also := slices.Contains(mutant.AlsoKilledBy, c.Scenario)
		switch {
		case c.Bug != mutant.Name, c.Status == scenarios.Skipped:
		case c.Status == scenarios.Undecided: // a failure that is excused proves nothing of the scenario
			complaints = append(complaints, c.Scenario+" is undecided: "+c.Verdict)
		case c.Status == scenarios.Passed && own:
			complaints = append(complaints, c.Scenario+" passes, and has to kill this mutant")
		case c.Status == scenarios.Passed && also:
			complaints = append(complaints, c.Scenario+" passes: AlsoKilledBy has it")
		case c.Status == scenarios.Failed && own && !strings.Contains(c.Verdict, mutant.Reason):
			complaints = append(complaints, c.Scenario+" fails for another reason than "+mutant.Reason+": "+c.Verdict)
		case c.Status == scenarios.Failed && !own && !also:
			complaints = append(complaints, c.Scenario+" fails: if it must, AlsoKilledBy has to name it: "+c.Verdict)
		}
	}
	return complaints
}

// readPairs reads the file of the matrix, one pair a line.
func readPairs(t *testing.T, path string) (pairs []Pair) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return parsePairs(t, path, raw)
}

func parsePairs(t *testing.T, path string, raw []byte) (pairs []Pair) {
	t.Helper()
	for line := range strings.Lines(string(raw)) {
		var c Pair
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		pairs = append(pairs, c)
	}
	return pairs
}

func addPair(t *testing.T, path string, p Pair) {
	line, err := json.Marshal(p)
	if err != nil {
		t.Error(err)
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.Write(append(line, '\n'))
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Error(err)
	}
}

// TestJudge: a scenario that fails with a mutant must be its own, or be named for it.
func TestJudge(t *testing.T) {
	t.Parallel()
	mutant := Mutant{Name: "b", KilledBy: "own", Reason: "why", AlsoKilledBy: []string{"also"}}
	tests := []struct {
		pair Pair
		says string
	}{
		{Pair{Bug: "b", Scenario: "own", Status: scenarios.Failed, Verdict: "that is why"}, ""},
		{Pair{Bug: "b", Scenario: "own", Status: scenarios.Failed, Verdict: "else"}, "for another reason"},
		{Pair{Bug: "b", Scenario: "own", Status: scenarios.Passed, Verdict: ""}, "has to kill this mutant"},
		{Pair{Bug: "b", Scenario: "own", Status: scenarios.Undecided, Verdict: "of ListFlavors"}, "own is undecided: of ListFlavors"},
		{Pair{Bug: "b", Scenario: "also", Status: scenarios.Failed, Verdict: "else"}, ""},
		{Pair{Bug: "b", Scenario: "also", Status: scenarios.Passed, Verdict: ""}, "passes: AlsoKilledBy"},
		{Pair{Bug: "b", Scenario: "other", Status: scenarios.Passed, Verdict: ""}, ""},
		{Pair{Bug: "b", Scenario: "other", Status: scenarios.Skipped, Verdict: ""}, ""},
		{Pair{Bug: "b", Scenario: "other", Status: scenarios.Failed, Verdict: "else"}, "AlsoKilledBy has to name it: else"},
		{Pair{Bug: "c", Scenario: "other", Status: scenarios.Failed, Verdict: "else"}, ""},
	}
	for _, test := range tests {
		got := strings.Join(judge(mutant, []Pair{test.pair}), "; ")
		if (test.says == "") != (got == "") || !strings.Contains(got, test.says) {
			t.Errorf("%+v: got %q, want %q", test.pair, got, test.says)
		}
	}
}
