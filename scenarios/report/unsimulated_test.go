package report

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestUnsimulatedIsReported: each report says once for the whole run what the CCM asked for and simcloud does not simulate.
func TestUnsimulatedIsReported(t *testing.T) {
	t.Parallel()
	r := scenarios.Report{Parallel: 1, Scenarios: []scenarios.Result{
		{Name: "one", Status: scenarios.Failed, Unsimulated: map[string]int{"octavia:ListFlavors: <no>": 2}},
		{Name: "two", Status: scenarios.Passed, Unsimulated: map[string]int{"octavia:ListFlavors: <no>": 1, "ec2:A: b": 1}},
	}}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := reportJSON(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, report := range map[string]struct{ text, has string }{
		"summary":  {Summary(r), "not its fault:\n  ec2:A: b (1 call)\n  octavia:ListFlavors: <no> (3 calls)\n"},
		"Markdown": {Markdown(r), "- asked for and not simulated: ec2:A: b (1 call); octavia:ListFlavors: &lt;no&gt; (3 calls)"},
		"HTML":     {string(page), "ec2:A: b (1 call); octavia:ListFlavors: &lt;no&gt; (3 calls)"},
		"JSON":     {string(raw), `"unsimulated": {`},
	} {
		if !strings.Contains(report.text, report.has) {
			t.Errorf("%s lacks %q:\n%s", name, report.has, report.text)
		}
	}
	if text := Summary(scenarios.Report{Parallel: 1}); strings.Contains(text, "simulate") {
		t.Errorf("all is simulated:\n%s", text)
	}
}
