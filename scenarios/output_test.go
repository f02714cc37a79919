package scenarios

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// TestOutputs pins what people and programs read of the example run, besides the files that have tests of their own.
func TestOutputs(t *testing.T) {
	report := exampleReport()
	page, err := HTML(report)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, verbose := range []bool{false, true} {
		tellLines(NewLines(&lines, verbose), report)
	}
	golden(t, "testdata/outputs.txtar", txtar.Format(&txtar.Archive{Files: []txtar.File{
		{Name: "page", Data: withoutParts(page)},
		{Name: "lines", Data: []byte(lines.String())},
		{Name: "summary", Data: []byte(Summary(report))},
	}}))
}

// withoutParts leaves out of a page its style, its scripts and their hashes, which are files of their own.
func withoutParts(page []byte) []byte {
	page = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAll(page, []byte("<$1/>"))
	return regexp.MustCompile(`sha256-[^&]*`).ReplaceAll(page, []byte("sha256-"))
}

// tellLines tells a reporter of the example run.
func tellLines(to Reporter, report Report) {
	to.ClusterStarting(0)
	to.ClusterStarted(0)
	for _, r := range report.Scenarios {
		s := &Scenario{Name: r.Name}
		to.ScenarioStarted(0, s)
		for i, step := range r.Steps {
			to.StepStarted(0, s, Step{Text: step.Step}, i, len(r.Steps), step.Finally)
		}
		to.ScenarioFinished(0, s, r)
	}
	to.Note(0, "the cluster cannot be used again")
}

// TestConformanceOutputs pins the verdict on the example clauses, in each of its forms.
func TestConformanceOutputs(t *testing.T) {
	all := parseAll(t, clauseScenarios)
	report := Report{Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 12, Seed: 7, Subject: "my-ccm", Parallel: 2, Scenarios: []Result{
		{Name: "one", Status: Passed, Seconds: 1},
		{Name: "two", Status: Failed, Seconds: 2, Failures: []Failure{
			{Position: "clauses.yaml:22:5", Step: "expect", Headline: "it did not become so within 30ms (3 snapshots)\nand more", Because: "A CCM must make it its own.", Values: []string{hostile}},
		}},
		{Name: "three", Status: Broken, Seconds: 3, Error: "etcd ended"},
	}}
	verdict := Judge(report, all, CapabilitySet{"nodes": true}, nil)
	verdict.attach(map[string]*Reproduction{"two": {File: "reproduce/two.yaml", Command: "simcloud test reproduce/two.yaml", Steps: 1, Of: 4, Reruns: 2}})
	raw, err := indentedJSON(verdict)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/conformance.txtar", txtar.Format(&txtar.Archive{Files: []txtar.File{
		{Name: "text", Data: []byte(ConformanceText(verdict))},
		{Name: "markdown", Data: []byte(ConformanceMarkdown(verdict))},
		{Name: "json", Data: raw},
	}}))
}

// TestDrafts pins the text of a scenario that was made shorter.
func TestDrafts(t *testing.T) {
	short, err := newDraft(parseAll(t, clauseScenarios)[1])
	if err == nil {
		short, err = short.keeping([]int{1, 2}).settled()
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := short.text("What is left of two:\n" + hostile)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/draft.yaml", text)
}
