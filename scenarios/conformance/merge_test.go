package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// parts are the verdicts of a run in two parts, in which the last scenario alone failed, and their results together.
func parts(t *testing.T, all []*scenarios.Scenario) (verdicts []Verdict, whole scenarios.Report) {
	t.Helper()
	declared := scenarios.AllCapabilities()
	applicable := Conformer{Capabilities: declared}.Applicable(all)
	for part := range 2 {
		var r scenarios.Report
		var leftOut []string
		for i, s := range applicable {
			result := scenarios.Result{Name: s.Name, Status: scenarios.Passed}
			if i == len(applicable)-1 {
				result.Status, result.Failures = scenarios.Failed, []scenarios.Failure{{Headline: "no"}}
			}
			if i%2 == part {
				r.Scenarios = append(r.Scenarios, result)
			} else {
				leftOut = append(leftOut, s.Name)
			}
		}
		verdict := judge(r, all, declared, nil, leftOut)
		for _, result := range r.Scenarios {
			if result.Status == scenarios.Failed {
				verdict.attach(map[string]*Reproduction{result.Name: {File: "reproduce/x.yaml"}})
			}
		}
		verdicts = append(verdicts, verdict)
		whole.Scenarios = append(whole.Scenarios, r.Scenarios...)
	}
	return verdicts, whole
}

// TestMerge: what a part could not judge, because the other part had a scenario of the clause, is judged by both.
func TestMerge(t *testing.T) {
	t.Parallel()
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	verdicts, whole := parts(t, all)
	if verdicts[0].Score.NotRun == 0 || verdicts[1].Score.NotRun == 0 {
		t.Fatalf("no clause has scenarios in both parts: %s; %s", verdicts[0].Score, verdicts[1].Score)
	}
	merged, err := Merge(verdicts, whole, all)
	if err != nil {
		t.Fatal(err)
	}
	if s := merged.Score; s.NotRun != 0 || s.Failed() != 1 || s.Passed != s.Applicable-1 || s.Applicable < verdicts[0].Score.Applicable+verdicts[0].Score.NotRun {
		t.Errorf("the score is %s, of the parts %s and %s", s, verdicts[0].Score, verdicts[1].Score)
	}
	if made := reproductionsOf([]Verdict{merged}); len(made) != 1 {
		t.Errorf("reproductions: %v", made)
	}
	whole.Scenarios = whole.Scenarios[1:]
	if merged, err = Merge(verdicts, whole, all); err != nil || merged.Score.NotRun != 1 {
		t.Errorf("without a scenario: %v, %s", err, merged.Score)
	}
}

// TestMergeRefuses verdicts of which one score would say nothing.
func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	one := Verdict{Capabilities: []string{"nodes"}, Areas: []AreaVerdict{{Name: "node"}}}
	for says, other := range map[string]Verdict{
		"of other capabilities: nodes, and nodes, routes": {Capabilities: []string{"nodes", "routes"}, Areas: one.Areas},
		"of other areas: node, and route":                 {Capabilities: one.Capabilities, Areas: []AreaVerdict{{Name: "route"}}},
	} {
		if _, err := Merge([]Verdict{one, other}, scenarios.Report{}, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// TestLoad reads what Write has written, and refuses what is no verdict.
func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(dir, Verdict{Subject: "mine", Areas: []AreaVerdict{{Name: "node"}}}); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(filepath.Join(dir, FileName)); err != nil || c.Subject != "mine" {
		t.Errorf("%v: %+v", err, c)
	}
	for text, says := range map[string]string{"{": "or not a whole one", "{}": "it has no areas"} {
		file := filepath.Join(t.TempDir(), FileName)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
