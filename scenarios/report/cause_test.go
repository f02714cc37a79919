package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
)

// TestCausesAreReported: each report tells what several scenarios fail for, with links in the page, and repetitions of
// one scenario are no several.
func TestCausesAreReported(t *testing.T) {
	t.Parallel()
	var r scenarios.Report
	add := func(name string, status scenarios.Status, f scenarios.Failure) {
		r.Scenarios = append(r.Scenarios, scenarios.Result{Name: name, Status: status, Failures: []scenarios.Failure{f}})
	}
	for i := range 25 {
		add(fmt.Sprintf("n%d", i), scenarios.Failed, scenarios.Failure{Expression: `zone == "` + reporttest.Hostile + `"`})
	}
	add("lb[a=1]#1", scenarios.Failed, scenarios.Failure{Oracle: "leak", Headline: "1 load balancer is left"})
	add("lb[a=1]#2", scenarios.Failed, scenarios.Failure{Oracle: "leak", Headline: "2 load balancer is left"})
	add("late", scenarios.Failed, scenarios.Failure{Oracle: "leak", Headline: "3 load balancer is left"})
	add("known", scenarios.KnownFailed, scenarios.Failure{Oracle: "leak", Headline: "3 load balancer is left"})
	add("twice#1", scenarios.Failed, scenarios.Failure{Expression: "x"})
	add("twice#2", scenarios.Failed, scenarios.Failure{Expression: "x"})
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, report := range map[string]struct {
		text string
		has  []string
	}{
		"summary":  {Summary(r), []string{"\n25 scenarios fail for one reason (n0, n1, ", "n19 and 5 more): zone ==", "\n2 scenarios fail for one reason (lb[a=1]#1, late): oracle leak: 1 load balancer is left\n"}},
		"Markdown": {Markdown(r), []string{"\n- 25 scenarios fail for one reason ", "\n- 2 scenarios fail for one reason "}},
		"HTML":     {string(page), []string{"<strong>25 scenarios fail for one reason</strong>", `%231">lb[a=1]#1</a>`, `<a href="#late">late</a>`, "and 5 more"}},
	} {
		for _, part := range report.has {
			if !strings.Contains(report.text, part) {
				t.Errorf("%s lacks %q:\n%.2000s", name, part, report.text)
			}
		}
		if n := strings.Count(report.text, "fail for one reason"); n != 2 {
			t.Errorf("%s has %d causes", name, n)
		}
	}
	if strings.Contains(string(page), "<img src=x") {
		t.Error("a cause is part of the page's markup")
	}
}
