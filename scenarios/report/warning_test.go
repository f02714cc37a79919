package report

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestWarningsAreReported: each report has the warnings of a scenario that passed, with their places, and takes it for passed.
func TestWarningsAreReported(t *testing.T) {
	t.Parallel()
	r := scenarios.Report{Seed: 7, Subject: "my-ccm", Parallel: 1, Scenarios: []scenarios.Result{
		{Name: "vacuous", File: "mine/v.yaml", Line: 3, Status: scenarios.Passed, Warnings: []scenarios.Warning{
			{Position: "library/steps/s.yaml:1:1, used at mine/v.yaml:12:5", Text: `the taint "<x>" is denied`}, {Position: "mine/v.yaml:9:3", Text: "second"},
		}},
		{Name: "good", File: "mine/v.yaml", Status: scenarios.Passed},
	}}
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
	var events strings.Builder
	tellLines(NewEvents(&events, NewLines(&strings.Builder{}, false)), r)
	const place = "library/steps/s.yaml:1:1, used at mine/v.yaml:12:5: "
	for name, report := range map[string]struct{ text, has string }{
		"text":        {Finished(r.Scenarios[0]), "PASS  vacuous (0.0s)\n  warning: " + place + "the taint \"<x>\" is denied\n  warning: mine/v.yaml:9:3: second\n"},
		"summary":     {Summary(r), "2 passed, 0 failed, 1 with warnings (vacuous) in"},
		"JUnit":       {string(junit), "<system-out>warning: " + place + "the taint &#34;&lt;x&gt;&#34; is denied&#xA;warning: mine/v.yaml:9:3: second&#xA;again: "},
		"Markdown":    {Markdown(r), "## ✅ simcloud: 2 passed\n\n"},
		"row":         {Markdown(r), "| ✅ | vacuous |  | 0.0 | warning: " + place},
		"facts":       {Markdown(r), "- warnings: vacuous\n"},
		"HTML":        {string(page), `<p class="reason">warning: ` + place + `the taint &#34;&lt;x&gt;&#34; is denied</p>`},
		"JSON":        {string(raw), `"warnings": [`},
		"events":      {events.String(), `"action":"pass","cluster":1,"scenario":"vacuous","warnings":[{"position":"library/steps/s.yaml:1:1, used at mine/v.yaml:12:5","text":"the taint \"`},
		"annotations": {Annotations(r, ""), "::warning file=mine/v.yaml,line=12,col=5,title=vacuous passed with 2 warnings::warning: " + place + "the taint \"<x>\" is denied%0Awarning: mine/v.yaml:9:3: second\n"},
	} {
		if !strings.Contains(report.text, report.has) {
			t.Errorf("%s lacks %q:\n%s", name, report.has, report.text)
		}
	}
	if strings.Contains(string(junit), "<failure") || strings.Count(string(junit), "warning") != 2 {
		t.Errorf("JUnit:\n%s", junit)
	}
}
