package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
)

// TestGitHubGroups: each scenario is a group, and what others have written is between a command that stops commands and
// the word that starts them again, which no one can know.
func TestGitHubGroups(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	g := NewGitHub(&out)
	lines := strings.Split(githubLog(g, &out), "\n")
	stop := regexp.MustCompile(`^::stop-commands::([a-z0-9]{20,})$`)
	var shown []string
	words := map[string]bool{}
	word := ""
	for _, line := range lines {
		switch found := stop.FindStringSubmatch(line); {
		case word == "" && found != nil:
			word, words[found[1]] = found[1], true
		case word != "" && line == "::"+word+"::":
			word = ""
		case word == "":
			shown = append(shown, line)
		}
	}
	want := []string{"::group::FAIL  one%25 (1.0s)", "::endgroup::", "::group::PASS  two (2.0s)", "::endgroup::", ""}
	if diff := cmp.Diff(want, shown); diff != "" || word != "" {
		t.Errorf("what GitHub acts on (-want +got):\n%s\nit ends within %q", diff, word)
	}
	if len(words) != 3 {
		t.Errorf("the words are %v, want another one each time", words)
	}
	text := strings.Join(lines, "\n")
	for _, part := range []string{"\n      ::error::taken\n", "step 1/2: apply (one.yaml:3:5)\n", "finally 2/2: delete (one.yaml:4:5)\n", "step 1/1: wait (two.yaml:3:5)\n"} {
		if strings.Count(text, part) != 1 {
			t.Errorf("%q is not there once:\n%s", part, text)
		}
	}
	if strings.Index(text, "step 1/1: wait") < strings.Index(text, "::group::PASS") {
		t.Errorf("the step of two is in the group of one:\n%s", text)
	}
}

// githubLog tells of two scenarios at the same time, of which one has failed with lines that look like commands.
func githubLog(g *GitHub, out *strings.Builder) string {
	step := func(text, file string, line int) scenarios.Step {
		return scenarios.Step{Text: text, Position: scenarios.Position{File: file, Line: line, Column: 5}}
	}
	one, two := &scenarios.Scenario{Name: "one"}, &scenarios.Scenario{Name: "two"}
	g.ClusterStarting(0)
	g.ClusterStarted(0)
	g.ScenarioStarted(0, one)
	g.StepStarted(0, one, step("of a cluster that was lost", "one.yaml", 3), 0, 2, false)
	g.ScenarioStarted(0, one)
	g.StepStarted(0, one, step("apply", "one.yaml", 3), 0, 2, false)
	g.ScenarioStarted(1, two)
	g.StepStarted(1, two, step("wait", "two.yaml", 3), 0, 1, false)
	g.StepStarted(0, one, step("delete", "one.yaml", 4), 1, 2, true)
	g.ScenarioFinished(0, one, scenarios.Result{Name: "one%", Status: scenarios.Failed, Seconds: 1, Failures: []scenarios.Failure{{Headline: "no", Values: []string{"a\n::error::taken"}}}})
	g.Note(1, "::set-env name=PATH::/tmp")
	g.ScenarioFinished(1, two, scenarios.Result{Name: "two", Status: scenarios.Passed, Seconds: 2})
	return out.String()
}

// TestAnnotations: each says what is wrong, at the place in the user's file, escaped as GitHub wants it.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	mine := filepath.Join(root, "test", "a,b:c%.yaml")
	r := scenarios.Report{Scenarios: []scenarios.Result{
		{Name: "passes", File: mine, Status: scenarios.Passed},
		{Name: "known", File: mine, Line: 9, Status: scenarios.Passed, Known: &scenarios.KnownFailure{Issue: "a/b#1", Why: "late"}},
		{Name: "wavers", File: mine, Line: 4, Status: scenarios.Passed, Retries: 1, Flaked: []scenarios.Failure{{Headline: "late", Position: mine + ":7:3"}}},
		{Name: "breaks", File: "mine/x.yaml", Line: 2, Status: scenarios.Broken, Error: "no etcd\nits log"},
		{Name: "of-simcloud", File: "library/core/lb.yaml", Line: 3, Status: scenarios.Failed, Failures: []scenarios.Failure{{Headline: "no", Position: "library/core/lb.yaml:7:5"}}},
		{Name: "uses,a:step", File: mine, Line: 3, Status: scenarios.Failed, Failures: []scenarios.Failure{
			{Headline: "100% of\nlines", Because: "A CCM must.", Values: []string{"x = 1", "y = 2"}, Position: "library/steps/s.yaml:1:1, used at " + mine + ":12:5"},
		}},
		{Name: "judged", File: mine, Line: 20, Status: scenarios.Failed, Failures: []scenarios.Failure{{Oracle: "leak", Headline: "left"}}},
		{Name: "wrong", File: "/elsewhere/y.yaml", Status: scenarios.Invalid, Failures: []scenarios.Failure{{Headline: "no kind", Position: "/elsewhere/y.yaml:5"}}},
	}}
	file := "file=test/a%2Cb%3Ac%25.yaml"
	want := []string{
		"::error title=of-simcloud failed::no",
		"::error " + file + ",line=12,col=5,title=uses%2Ca%3Astep failed::100%25 of …: A CCM must.%0Aobserved:%0Ax = 1%0Ay = 2",
		"::error " + file + ",line=20,title=judged failed::leak: left",
		"::error file=/elsewhere/y.yaml,line=5,title=wrong is invalid::no kind",
		"::error file=mine/x.yaml,line=2,title=breaks is broken%3A the environment failed::no etcd …",
		"::notice " + file + ",line=9,title=known passed::passed, though known as failing: a/b#1: late",
		"::warning " + file + ",line=7,col=3,title=wavers is flaky::it passed when it ran once more: late",
		"",
	}
	if diff := cmp.Diff(want, strings.Split(Annotations(r, root), "\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestAnnotationsHaveAnEnd: of each level there are as many as GitHub shows, and a notice counts the others.
func TestAnnotationsHaveAnEnd(t *testing.T) {
	t.Parallel()
	var r scenarios.Report
	for i := range 30 {
		r.Scenarios = append(r.Scenarios,
			scenarios.Result{Name: fmt.Sprint("f", i), Status: scenarios.Failed, Failures: []scenarios.Failure{{Headline: reporttest.Hostile}}},
			scenarios.Result{Name: fmt.Sprint("k", i), Status: scenarios.Passed, Known: &scenarios.KnownFailure{}})
	}
	text := Annotations(r, "")
	if strings.Count(text, "::error") != 10 || strings.Count(text, "::notice") != 10 || !strings.HasSuffix(text, "::notice title=simcloud::41 scenarios more to look at: the summary and report.html have all\n") {
		t.Error(text)
	}
	if Annotations(scenarios.Report{Scenarios: []scenarios.Result{{Status: scenarios.Passed}, {Status: scenarios.KnownFailed, Known: &scenarios.KnownFailure{}}}}, "") != "" {
		t.Error("a run that needs no attention has annotations")
	}
}
