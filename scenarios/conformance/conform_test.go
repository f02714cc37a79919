package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// clauseScenarios are some of which a CCM that does nothing fails the second,
// keeps the third, and of which the last does not apply.
const clauseScenarios = `
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: one, labels: {clause: N01, area: node}}
spec:
  description: d
  nodes: 1
  capabilities: [nodes]
  steps:
  - expect: nodes.size() == 1
---
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: two, labels: {clause: N02, area: node}}
spec:
  description: d
  nodes: 1
  capabilities: [nodes]
  steps:
  - sleep: 1ms
  - sleep: 2ms
  - within: 30ms
    expect: nodes["node-1"].metadata.uid == "mine"
    because: A CCM must make it its own.
  - sleep: 3ms
---
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: three, labels: {clause: N02, area: node}}
spec:
  description: d
  capabilities: [nodes]
  steps:
  - sleep: 1ms
---
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: routed, labels: {clause: R01, area: route}}
spec:
  description: d
  capabilities: [routes]
  steps:
  - sleep: 1ms
---
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: core, labels: {tier: core}}
spec:
  description: d
  steps:
  - sleep: 1ms
`

func parseAll(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	all, err := run.Parse("clauses.yaml", []byte(clauseScenarios))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// conform runs the scenarios on a fake cluster.
func conform(t *testing.T, c Conformer, cluster *steptest.Cluster) (Verdict, scenarios.Report) {
	t.Helper()
	opened := 0
	c.Runner.Reporter = reports.NewLines(t.Output(), false)
	c.Runner.Subject = "fake"
	c.Runner.Open = func(context.Context, int) (run.Cluster, error) {
		opened++
		return cluster, nil
	}
	verdict, report, err := c.Run(t.Context(), parseAll(t))
	if err != nil {
		t.Fatal(err)
	}
	if opened != 1 || strings.Count(strings.Join(cluster.Did, " "), "stop") != 1 {
		t.Errorf("%d clusters were started, and the one did %v", opened, cluster.Did)
	}
	return verdict, report
}

// rightCluster makes clusters in which a node has the UID that the second scenario wants.
func rightCluster(t *testing.T) func(context.Context, int) (run.Cluster, error) {
	return func(context.Context, int) (run.Cluster, error) {
		c := steptest.NewCluster(t)
		c.UID = "mine"
		return c, nil
	}
}

// clauseOf finds a clause's verdict.
func clauseOf(t *testing.T, c Verdict, id string) ClauseVerdict {
	t.Helper()
	for _, area := range c.Areas {
		for _, clause := range area.Clauses {
			if clause.ID == id {
				return clause
			}
		}
	}
	t.Fatalf("there is no verdict on %s", id)
	return ClauseVerdict{}
}

// TestConformer: each clause has the status of its scenarios, and a failure a file that shows it.
func TestConformer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		c := Conformer{
			Capabilities: scenarios.CapabilitySet{"nodes": true}, Areas: []string{"node", "route"}, Shorten: 9, Reference: rightCluster(t),
			Runner: run.Runner{Dir: dir, Parallel: 1, Seed: 3},
			Flags:  []string{"--ccm", "A='it is' ./ccm {flags}"},
		}
		verdict, report := conform(t, c, steptest.NewCluster(t))
		for id, want := range map[string]ClauseStatus{"N01": ClausePassed, "N02": ClauseFailed, "N03": ClauseNotChecked, "R01": ClauseNotApplicable} {
			if got := clauseOf(t, verdict, id); got.Status != want {
				t.Errorf("%s is %s (%s), want %s", id, got.Status, got.Reason, want)
			}
		}
		if want := (Score{Passed: 1, Applicable: 2, NotApplicable: 1, NotChecked: 19}); verdict.Score != want {
			t.Errorf("the score is %+v, want %+v", verdict.Score, want)
		}
		if got := clauseOf(t, verdict, "R01").Reason; !strings.Contains(got, "undeclared capabilities: routes") {
			t.Errorf("R01 does not apply because %q", got)
		}
		if len(verdict.Areas) != 2 || len(report.Scenarios) != 3 {
			t.Errorf("%d areas, and %d scenarios were run", len(verdict.Areas), len(report.Scenarios))
		}
		checkReproduction(t, dir, clauseOf(t, verdict, "N02").Scenarios[0])
		checkConformanceFiles(t, dir, verdict)
	})
}

// checkReproduction wants one step to be left of three, in a file that fails as the scenario did.
func checkReproduction(t *testing.T, dir string, of ScenarioVerdict) {
	t.Helper()
	wantCommand := "simcloud test " + filepath.Join(dir, "reproduce", "two.yaml") + ` --seed 3 --ccm 'A='\''it is'\'' ./ccm {flags}'`
	want := &Reproduction{File: "reproduce/two.yaml", Command: wantCommand, Steps: 1, Of: 4, Reruns: 1}
	if diff := cmp.Diff(want, of.Reproduction); diff != "" {
		t.Errorf("the reproduction (-want +got):\n%s", diff)
	}
	path := filepath.Join(dir, "reproduce", "two.yaml")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "#     "+wantCommand+"\n") || !strings.Contains(string(text), "# A CCM must make it its own.\n") {
		t.Errorf("%v:\n%s", err, text)
	}
	short, err := run.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	cluster := steptest.NewCluster(t)
	again := run.Runner{Open: func(context.Context, int) (run.Cluster, error) { return cluster, nil }, Reporter: reports.NewLines(t.Output(), true)}
	report, err := again.Run(t.Context(), short)
	if err != nil || report.Scenarios[0].Failures[0].Because != of.Failure.Because {
		t.Errorf("it is %+v, %v", report.Scenarios, err)
	}
}

func checkConformanceFiles(t *testing.T, dir string, verdict Verdict) {
	t.Helper()
	if err := Write(dir, verdict); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "conformance.json"))
	var read Verdict
	if err = errors.Join(err, json.Unmarshal(raw, &read)); err != nil || read.Score != verdict.Score || len(read.Areas) != 2 {
		t.Errorf("conformance.json: %v\n%s", err, raw)
	}
	markdown, err := os.ReadFile(filepath.Join(dir, "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 of 2 applicable clauses (50 %), 1 not applicable, 19 not checked",
		"| N02 | **failed** | a Node without the taint |", "| R01 | not applicable<br>it needs undeclared capabilities: routes |",
		"<details><summary>N02: two failed: the expectation did not become true within 30ms", "/reproduce/two.yaml --seed 3 --ccm ",
	} {
		if !strings.Contains(string(markdown), want) {
			t.Errorf("conformance.md lacks %q:\n%s", want, markdown)
		}
	}
	text := Text(verdict)
	for _, want := range []string{"Node initialisation (node): 1 of 2", "N02  failed ", "two: the expectation did not become true", "  simcloud test ", "fake keeps 1 of 2 applicable"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

// TestConformerKnowsFailures: a clause whose scenario is known to fail has not passed, counts by its own
// name, and has what shows the failure; a scenario that passes all the same is named.
func TestConformerKnowsFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		c := Conformer{
			Capabilities: scenarios.CapabilitySet{"nodes": true}, Areas: []string{"node"}, Shorten: 9, Reference: rightCluster(t),
			Runner: run.Runner{Dir: dir, Parallel: 1, Retries: 1, Known: scenarios.KnownFailures{
				{Scenario: "two", Issue: "acme/ccm#2", Why: "It makes nothing its own."}, {Scenario: "one", Issue: "https://example.org/1", Why: "It waits."},
			}},
		}
		verdict, _ := conform(t, c, steptest.NewCluster(t))
		two := clauseOf(t, verdict, "N02")
		if two.Status != ClauseKnownFailed || two.Scenarios[0].Status != scenarios.KnownFailed || two.Scenarios[0].Failure == nil {
			t.Errorf("N02 is %+v", two)
		}
		if got := two.Scenarios[0].Reproduction; got == nil || got.Steps != 1 {
			t.Errorf("the reproduction is %+v, want one step", got)
		}
		if want := (Score{Passed: 1, KnownFailures: 1, Applicable: 2, NotChecked: 10}); verdict.Score != want || want.Percent() != 50 || want.Failed() != 0 {
			t.Errorf("the score is %+v, want %+v", verdict.Score, want)
		}
		for name, report := range map[string]struct {
			text string
			has  []string
		}{
			"the text": {Text(verdict), []string{
				"1 of 2 applicable clauses (50 %), 1 known failure, 10 not checked", "N01  passed ", "one: passed, though known as failing: https://example.org/1: It waits.",
				"N02  known failure  a Node", "two: known failure: acme/ccm#2: It makes nothing its own.", "two: the expectation did not",
			}},
			"conformance.md": {Markdown(verdict), []string{"| N02 | known failure<br>two: known failure: [acme", "issues/2): It makes", "| Node initialisation | 1 | 1 | 2 | 0 | 0 | 10 |"}},
		} {
			for _, part := range report.has {
				if !strings.Contains(report.text, part) {
					t.Errorf("%s lacks %q:\n%s", name, part, report.text)
				}
			}
		}
	})
}

// TestConformerAsksTheReference: a scenario that fails with a right CCM too shows nothing, however short it is.
func TestConformerAsksTheReference(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, reference := range map[string]func(context.Context, int) (run.Cluster, error){
			"none":      nil,
			"not right": func(context.Context, int) (run.Cluster, error) { return steptest.NewCluster(t), nil },
		} {
			c := Conformer{Capabilities: scenarios.CapabilitySet{"nodes": true}, Shorten: 9, Reference: reference, Runner: run.Runner{Dir: t.TempDir()}}
			verdict, _ := conform(t, c, steptest.NewCluster(t))
			if got := clauseOf(t, verdict, "N02").Scenarios[0].Reproduction; got.Steps != 3 || got.Of != 4 {
				t.Errorf("%s: %d steps of %d are left, want 3 of 4", name, got.Steps, got.Of)
			}
		}
	})
}

// TestConformerIsBrief: when it is to be, a clause is left at its first failure, and nothing is waited for.
func TestConformerIsBrief(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := steptest.NewCluster(t)
		verdict, report := conform(t, Conformer{Capabilities: scenarios.CapabilitySet{"nodes": true}, Brief: true, Patience: 1}, cluster)
		if got := clauseOf(t, verdict, "N02"); got.Status != ClauseFailed || got.Scenarios[1].Status != scenarios.NotRun {
			t.Errorf("N02 is %+v", got)
		}
		var names []string
		for _, r := range report.Scenarios {
			names = append(names, r.Name+" "+string(r.Status))
		}
		if diff := cmp.Diff([]string{"one passed", "two failed", "three not_run"}, names); diff != "" {
			t.Errorf("the report (-want +got):\n%s", diff)
		}
	})
}

// TestJudgeWhatWasNotRun: what could not be run to its end is not taken for passed.
func TestJudgeWhatWasNotRun(t *testing.T) {
	t.Parallel()
	all := parseAll(t)
	for _, test := range []struct {
		two, three scenarios.Status
		want       ClauseStatus
		says       string
	}{
		{scenarios.Passed, scenarios.Passed, ClausePassed, ""},
		{scenarios.Passed, scenarios.Failed, ClauseFailed, ""},
		{scenarios.Broken, scenarios.Failed, ClauseFailed, ""},
		{scenarios.Passed, scenarios.KnownFailed, ClauseKnownFailed, ""},
		{scenarios.Broken, scenarios.KnownFailed, ClauseKnownFailed, ""},
		{scenarios.KnownFailed, scenarios.Failed, ClauseFailed, ""},
		{scenarios.Passed, scenarios.Skipped, ClausePassed, "three is skipped: of packets"},
		{scenarios.Skipped, scenarios.Skipped, ClauseNotChecked, "two is skipped: of packets; three is skipped"},
		{scenarios.Passed, scenarios.Undecided, ClauseUndecided, "three is undecided: of packets"},
		{scenarios.Undecided, scenarios.Failed, ClauseFailed, ""},
		{scenarios.Undecided, scenarios.KnownFailed, ClauseKnownFailed, ""},
		{scenarios.Undecided, scenarios.Broken, ClauseUndecided, "two is undecided"},
		{scenarios.Passed, scenarios.Broken, ClauseNotChecked, "three is broken"},
		{scenarios.Passed, scenarios.Invalid, ClauseNotChecked, "three is invalid"},
		{scenarios.Interrupted, scenarios.Passed, ClauseNotChecked, "two is interrupted"},
		{scenarios.Passed, scenarios.NotRun, ClauseNotChecked, "three is not run"},
	} {
		report := scenarios.Report{Scenarios: []scenarios.Result{{Name: "two", Status: test.two, Reason: "of packets"}, {Name: "three", Status: test.three, Reason: "of packets"}}}
		got := clauseOf(t, Judge(report, all, scenarios.AllCapabilities(), nil), "N02")
		if got.Status != test.want || !strings.Contains(got.Reason, test.says) || test.says == "" && got.Reason != "" {
			t.Errorf("%s and %s: %s because %q, want %s because %q", test.two, test.three, got.Status, got.Reason, test.want, test.says)
		}
	}
}

// TestUndecidedIsNoPartOfTheScore: a clause that is undecided is counted by itself, beside those of which the score tells.
func TestUndecidedIsNoPartOfTheScore(t *testing.T) {
	t.Parallel()
	report := scenarios.Report{Scenarios: []scenarios.Result{{Name: "one", Status: scenarios.Passed}, {Name: "two", Status: scenarios.Undecided, Reason: "of ListFlavors"}, {Name: "three", Status: scenarios.Passed}}}
	verdict := Judge(report, parseAll(t), scenarios.AllCapabilities(), nil)
	if s := verdict.Score; s.Undecided != 1 || s.Applicable != s.Passed || s.Failed() != 0 || !strings.Contains(s.String(), ", 1 undecided") {
		t.Errorf("the score is %+v: %s", s, s)
	}
	for name, text := range map[string]string{"the text": Text(verdict), "the Markdown": Markdown(verdict)} {
		if !strings.Contains(text, "undecided") || !strings.Contains(text, "of ListFlavors") {
			t.Errorf("%s does not tell it:\n%s", name, text)
		}
	}
}

// TestInterruptedRun: wherever a score is told, it is told that the run was not whole; what was left out on purpose is
// no interruption.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	all := parseAll(t)
	report := scenarios.Report{Subject: "mine", Scenarios: []scenarios.Result{
		{Name: "one", Status: scenarios.Passed}, {Name: "two", Status: scenarios.Interrupted}, {Name: "three", Status: scenarios.NotRun},
	}}
	verdict := Judge(report, all, scenarios.AllCapabilities(), nil)
	text, raw := Text(verdict), new(strings.Builder)
	if err := json.NewEncoder(raw).Encode(verdict); err != nil {
		t.Fatal(err)
	}
	const mark = "interrupted: 2 scenarios not run"
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, ", "+mark+".") {
		t.Errorf("the last line is %q, want it to end with %q", last, mark)
	}
	for form, text := range map[string]string{"summary": Summary(verdict), "page": Markdown(verdict), "area": lines[0]} {
		if !strings.Contains(text, mark) {
			t.Errorf("the %s does not say %q:\n%s", form, mark, text)
		}
	}
	if !strings.Contains(raw.String(), `"interrupted":2`) {
		t.Errorf("the JSON does not tell it: %s", raw)
	}
	report.Scenarios[1] = scenarios.Result{Name: "two", Status: scenarios.NotRun, Reason: "another scenario has shown already that its clause is not kept"}
	report.Scenarios[2].Status = scenarios.Passed
	if text := Text(Judge(report, all, scenarios.AllCapabilities(), nil)); strings.Contains(text, "interrupted") {
		t.Errorf("what was left out on purpose counts as interrupted:\n%s", text)
	}
}

// TestJudgeWhatWasNotSelected: a clause of which a scenario was left out has not passed, whatever the others
// showed, and one of which another scenario failed has failed.
func TestJudgeWhatWasNotSelected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		keeping := func(names ...string) func([]*scenarios.Scenario) []*scenarios.Scenario {
			return func(all []*scenarios.Scenario) []*scenarios.Scenario {
				return slices.DeleteFunc(slices.Clone(all), func(s *scenarios.Scenario) bool { return !slices.Contains(names, s.Name) })
			}
		}
		for _, test := range []struct {
			kept     []string
			n01, n02 ClauseStatus
			says     string // of N02
		}{
			{[]string{"one"}, ClausePassed, ClauseNotRun, "two is not run: it was not selected; three is not run: it was not selected"},
			{[]string{"one", "three"}, ClausePassed, ClauseNotRun, "two is not run: it was not selected"},
			{[]string{"two"}, ClauseNotRun, ClauseFailed, ""},
		} {
			c := Conformer{Capabilities: scenarios.CapabilitySet{"nodes": true}, Areas: []string{"node", "route"}, Select: keeping(test.kept...)}
			verdict, report := conform(t, c, steptest.NewCluster(t))
			if got := clauseOf(t, verdict, "N01"); got.Status != test.n01 {
				t.Errorf("%v: N01 is %s, want %s", test.kept, got.Status, test.n01)
			}
			if got := clauseOf(t, verdict, "N02"); got.Status != test.n02 || got.Reason != test.says {
				t.Errorf("%v: N02 is %s because %q, want %s because %q", test.kept, got.Status, got.Reason, test.n02, test.says)
			}
			if got := clauseOf(t, verdict, "R01"); got.Status != ClauseNotApplicable || len(report.Scenarios) != len(test.kept) || verdict.Score.NotRun != 1 {
				t.Errorf("%v: R01 is %s, %d scenarios were run, and the score is %+v", test.kept, got.Status, len(report.Scenarios), verdict.Score)
			}
			if !strings.Contains(Text(verdict), ", 1 not run") {
				t.Errorf("%v: the text is %s", test.kept, Text(verdict))
			}
		}
	})
}

// TestPoolThrowsAway: a cluster that cannot be emptied does not come back.
func TestPoolThrowsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clusters := []*steptest.Cluster{steptest.NewCluster(t), steptest.NewCluster(t)}
		started := 0
		p := &run.Pool{Start: func(context.Context, int) (run.Cluster, error) {
			started++
			return clusters[started-1], nil
		}}
		for _, resetErr := range []error{nil, nil, errors.New("a node is left")} {
			clusters[0].ResetErr = resetErr
			c, err := p.Open(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(clusters[0].Did, " "); got != "reset reset stop" || started != 2 {
			t.Errorf("%d clusters were started, and the first did %s", started, got)
		}
		if err := p.Close(t.Context()); err != nil || strings.Join(clusters[1].Did, " ") != "stop" {
			t.Errorf("%v, and the second did %v", err, clusters[1].Did)
		}
	})
}

// TestConformanceOutputs pins the verdict on the example clauses, in each of its forms.
func TestConformanceOutputs(t *testing.T) {
	all := parseAll(t)
	report := scenarios.Report{Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 12, Seed: 7, Subject: "my-ccm", Parallel: 2, Scenarios: []scenarios.Result{
		{Name: "one", Status: scenarios.Passed, Seconds: 1, Unsimulated: map[string]int{"octavia:ListFlavors: simcloud does not simulate this": 2}},
		{Name: "two", Status: scenarios.Failed, Seconds: 2, Failures: []scenarios.Failure{
			{Position: "clauses.yaml:22:5", Step: "expect", Headline: "the expectation did not become true within 30ms (3 snapshots)\nand more", Because: "A CCM must make it its own.", Values: []string{reporttest.Hostile}},
		}},
		{Name: "three", Status: scenarios.Broken, Seconds: 3, Error: "etcd ended"},
	}}
	verdict := Judge(report, all, scenarios.CapabilitySet{"nodes": true}, nil)
	verdict.attach(map[string]*Reproduction{"two": {File: "reproduce/two.yaml", Command: "simcloud test reproduce/two.yaml", Steps: 1, Of: 4, Reruns: 2}})
	raw, err := reports.IndentedJSON(verdict)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/conformance.txtar", txtar.Format(&txtar.Archive{Files: []txtar.File{
		{Name: "text", Data: []byte(Text(verdict))},
		{Name: "markdown", Data: []byte(Markdown(verdict))},
		{Name: "json", Data: raw},
	}}))
}
