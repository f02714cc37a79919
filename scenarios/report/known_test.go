package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// knownReport has a scenario that failed as is known, and one that passed all the same.
func knownReport() scenarios.Report {
	known := func(name string) *scenarios.KnownFailure {
		return &scenarios.KnownFailure{Scenario: name, Issue: "acme/ccm#12", Why: "It asks <once>."}
	}
	return scenarios.Report{Seed: 7, Subject: "my-ccm", Parallel: 1, Scenarios: []scenarios.Result{
		{Name: "late", File: "late.yaml", Status: scenarios.KnownFailed, Known: known("late"), Failures: []scenarios.Failure{{Position: "late.yaml:3:5", Headline: "the expectation is false"}}},
		{Name: "soon", File: "soon.yaml", Status: scenarios.Passed, Known: known("soon")},
	}}
}

// TestKnownFailuresAreReported: each report has the words for a known failure and for one that passed all the same,
// with the issue, and takes neither for a failure.
func TestKnownFailuresAreReported(t *testing.T) {
	t.Parallel()
	r := knownReport()
	junit, err := JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := reportJSON(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, report := range map[string]struct {
		text string
		has  []string
	}{
		"text": {Finished(r.Scenarios[0]) + Finished(r.Scenarios[1]), []string{
			"KNOWN late", "known failure: acme/ccm#12: It asks <once>.", "the expectation is false", "PASS  soon", "passed, though known as failing: acme/ccm#12",
		}},
		"summary": {Summary(r), []string{"known failure late", "1 passed, 0 failed, 1 known failure, 1 passed, though known as failing (soon) in"}},
		"JUnit": {string(junit), []string{
			`failures="0" errors="0" skipped="1"`, `<skipped message="known failure: acme/ccm#12: It asks &lt;once&gt;.">`, "late.yaml:3:5: the expectation is false",
			`name="known failures" value="1"`, `name="passed, though known as failing" value="1"`, "<system-out>passed, though known as failing: acme/ccm#12",
		}},
		"Markdown": {Markdown(r), []string{
			"## ✅ simcloud: 1 known failure, 1 passed", "- passed, though known as failing: soon", "| ⚠️ | late |", "| known failure: [acme/ccm", "](https://github.com/acme/ccm/issues/12): It asks &lt;once&gt;. |",
		}},
		"HTML": {string(page), []string{
			`<header class="good">`, "<h1>1 known failure, 1 passed</h1>", `<span class="badge known_failure">known failure</span>`,
			`known failure: <a href="https://github.com/acme/ccm/issues/12">acme/ccm#12</a>: It asks &lt;once&gt;.`, "passed, though known as failing: <a",
		}},
		"JSON": {string(raw), []string{`"status": "known_failure"`, `"issue": "acme/ccm#12"`}},
	} {
		for _, part := range report.has {
			if !strings.Contains(report.text, part) {
				t.Errorf("%s lacks %q:\n%s", name, part, report.text)
			}
		}
	}
	if strings.Contains(string(junit), "<failure") {
		t.Errorf("JUnit has a failure:\n%s", junit)
	}
	var read scenarios.Report
	if err := json.Unmarshal(raw, &read); err != nil || read.Scenarios[0].Known == nil {
		t.Errorf("%v: %+v", err, read)
	}
}

func TestCountedWords(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"known failure": countedWords(scenarios.KnownFailed, 1), "known failures": countedWords(scenarios.KnownFailed, 2), "not run": countedWords(scenarios.NotRun, 2),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
