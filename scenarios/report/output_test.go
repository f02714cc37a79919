package report

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
)

// TestOutputs pins what people and programs read of the example run, besides the files that have tests of their own.
func TestOutputs(t *testing.T) {
	report := reporttest.Example()
	page, err := HTML(report)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, verbose := range []bool{false, true} {
		tellLines(NewLines(&lines, verbose), report)
	}
	golden.Check(t, "testdata/outputs.txtar", txtar.Format(&txtar.Archive{Files: []txtar.File{
		{Name: "page", Data: withoutParts(page)},
		{Name: "lines", Data: []byte(lines.String())},
		{Name: "summary", Data: []byte(Summary(report))},
	}}))
}

// withoutParts leaves out of a page its style, its scripts and their hashes, which are files of their own.
func withoutParts(page []byte) []byte {
	page = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAll(page, []byte("<$1/>"))
	return regexp.MustCompile(`sha256-.*?&#39;`).ReplaceAll(page, []byte("sha256-&#39;"))
}

// tellLines tells a reporter of the example run.
func tellLines(to Reporter, report scenarios.Report) {
	to.ClusterStarting(0)
	to.ClusterStarted(0)
	for _, r := range report.Scenarios {
		s := &scenarios.Scenario{Name: r.Name}
		to.ScenarioStarted(0, s)
		for i, step := range r.Steps {
			to.StepStarted(0, s, scenarios.Step{Text: step.Step}, i, len(r.Steps), step.Finally)
		}
		to.ScenarioFinished(0, s, r)
	}
	to.Note(0, "the cluster cannot be used again")
}

// TestReportJSON pins the file that programs read.
func TestReportJSON(t *testing.T) {
	raw, err := reportJSON(reporttest.Example())
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/report.json", raw)
}
