package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
)

// TestHTMLShowsTheSource: each step marks the line of the scenario in which it, or the use of it, begins.
func TestHTMLShowsTheSource(t *testing.T) {
	t.Parallel()
	uses := []string{
		"library/steps/a.yaml:8:1, used at mine/lb.yaml:8:3", "library/steps/a.yaml:9:1, used at mine/lb.yaml:8:3",
		"library/steps/b.yaml:1:1, used at mine/lb.yaml:9:3", "library/steps/b.yaml:2:1, used at mine/lb.yaml:9:3",
	}
	s := scenarios.Result{
		Name: "lb", File: "mine/lb.yaml", Status: scenarios.Failed, Source: &scenarios.Source{Line: 7, Text: "steps:\n- use: a\n- use: b\n- expect: " + reporttest.Hostile},
		Steps: []scenarios.StepResult{
			{Position: uses[0], At: 0.5, Seconds: 0.25, Passed: true},
			{Position: uses[1], At: 0.75, Seconds: 1, Passed: true},
			{Position: uses[2], At: 2, Seconds: 1},
			{Position: uses[3], At: 3, Seconds: 1, Passed: true, Finally: true},
			{Position: "elsewhere.yaml:10:3", At: 9, Seconds: 1},
		},
	}
	want := []sourceLine{
		{Number: 7, Text: "steps:"},
		{Number: 8, Text: "- use: a", Class: "passed", Took: "passed: began at 0.50 s, took 1.25 s", From: 0.5, To: 1.75, Places: uses[0] + "\n" + uses[1]},
		{Number: 9, Text: "- use: b", Class: "failed", Took: "failed: began at 2.00 s, took 2.00 s", From: 2, To: 4, Places: uses[2] + "\n" + uses[3]},
		{Number: 10, Text: "- expect: " + reporttest.Hostile},
	}
	if diff := cmp.Diff(want, sourceLines(s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	raw, err := HTML(scenarios.Report{Scenarios: []scenarios.Result{s, {Name: "other", Status: scenarios.Passed}}})
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for _, part := range []string{`<ol class="source" start="7">`, `<li class="failed" title="failed: began at 2.00 s, took 2.00 s" data-steps="library/steps/b.yaml:1:1, used at mine/lb.yaml:9:3`, `data-from="2" data-to="4" aria-label="show the step of line 9 in`, "<li><code>steps:</code></li>"} {
		if strings.Count(text, part) != 1 {
			t.Errorf("the page has %q %d times", part, strings.Count(text, part))
		}
	}
	if strings.Contains(text, "<img src=x") {
		t.Error("a scenario is part of the page's markup")
	}
}
