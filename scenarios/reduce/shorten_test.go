package reduce

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// longScenario has eight steps, of which the last but one reads what an early one has captured.
const longScenario = `
# yaml-language-server: $schema=../schema.json
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: long, labels: {clause: N01}}
spec:
  description: Something that a CCM must do.
  steps:
  - sleep: 1ms
  - capture: {seen: nodes.size()}
  - sleep: 3ms
  - sleep: 4ms # the fourth
  - sleep: 5ms
  - sleep: 6ms
  - expect: seen == 0 && ns != "no"
    because: A CCM must.
  - capture: {last: 'instances[0]'}
  finally:
  - sleep: 9ms
  - cloud: {operation: DeleteInstance, args: {id: "${seen}"}}
  - capture: {late: nodes.size()}
  - delete: "service/web-${late}"
  - delete: "service/web-${last.id}"
`

func parseLong(t *testing.T) *scenarios.Scenario {
	t.Helper()
	all, err := run.Parse("long.yaml", []byte(longScenario))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// failing is the result of a scenario whose step at the place fails.
func failing(s *scenarios.Scenario, place int) scenarios.Result {
	step := s.Steps[place]
	return scenarios.Result{Name: s.Name, Status: scenarios.Failed, Failures: []scenarios.Failure{{Position: step.Position.String(), Step: step.Text, Because: step.Because}}}
}

func stepTexts(s *scenarios.Scenario) []string {
	var texts []string
	for _, step := range s.Steps {
		texts = append(texts, step.Text)
	}
	return texts
}

// runShortener runs a shortener to its end with a CCM that fails as long as the scenario has the needed steps.
func runShortener(t *testing.T, s *scenarios.Scenario, first scenarios.Result, needed ...string) (*Shortener, *scenarios.Scenario) {
	t.Helper()
	sh, err := New(s, first, "short.yaml", run.Parse)
	if err != nil {
		t.Fatal(err)
	}
	for candidate := sh.Next(); candidate != nil; candidate = sh.Next() {
		have := stepTexts(candidate)
		if missing := slices.ContainsFunc(needed, func(n string) bool { return !slices.Contains(have, n) }); missing {
			sh.Tell(false)
			continue
		}
		sh.Tell(sh.Same(failing(candidate, len(candidate.Steps)-1)))
	}
	short, err := sh.Draft.Scenario("short.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return sh, short
}

// TestShortener: what is left are the steps that the failure needs, and those that these need.
func TestShortener(t *testing.T) {
	t.Parallel()
	s := parseLong(t)
	sh, short := runShortener(t, s, failing(s, 6), "sleep 4ms")
	want := []string{"capture seen", "sleep 4ms", s.Steps[6].Text}
	if diff := cmp.Diff(want, stepTexts(short)); diff != "" {
		t.Errorf("the steps (-want +got):\n%s", diff)
	}
	if len(short.Finally) != 4 || short.Name != "long" || sh.Reruns > 12 {
		t.Errorf("%d steps of finally, the name %s, %d reruns", len(short.Finally), short.Name, sh.Reruns)
	}
	text, err := sh.Draft.Text("What it is.\nA second line.")
	if err != nil || !strings.HasPrefix(string(text), "# What it is.\n# A second line.\napiVersion:") || !strings.Contains(string(text), "# the fourth") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// TestShortenerLengthens: a short scenario that shows nothing makes room for the whole one, with what its finally had.
func TestShortenerLengthens(t *testing.T) {
	t.Parallel()
	s := parseLong(t)
	sh, _ := runShortener(t, s, failing(s, 6), "sleep 4ms")
	if !sh.Lengthen() {
		t.Error("nothing was left out")
	}
	whole, err := sh.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stepTexts(s), stepTexts(whole)); diff != "" || len(whole.Finally) != len(s.Finally) || whole.Position.File != "short.yaml" {
		t.Errorf("%d steps of finally, in %s, the steps (-want +got):\n%s", len(whole.Finally), whole.Position.File, diff)
	}
	if sh.Lengthen() {
		t.Error("the whole scenario was made longer")
	}
}

// TestShortenerKeepsAnotherFailureApart: a scenario that fails otherwise is not a shorter one.
func TestShortenerKeepsAnotherFailureApart(t *testing.T) {
	t.Parallel()
	s := parseLong(t)
	sh, err := New(s, failing(s, 6), "short.yaml", run.Parse)
	if err != nil {
		t.Fatal(err)
	}
	for candidate := sh.Next(); candidate != nil; candidate = sh.Next() {
		sh.Tell(sh.Same(scenarios.Result{Status: scenarios.Failed, Failures: []scenarios.Failure{{Oracle: "leak", Headline: "something else"}}}))
	}
	if got := len(sh.Draft.Kept); got != 7 {
		t.Errorf("%d steps are left, want all until the one that failed", got)
	}
}

// TestShortenerOfAnOracle: what an oracle has found may be any step's, the last one's too.
func TestShortenerOfAnOracle(t *testing.T) {
	t.Parallel()
	s := parseLong(t)
	found := scenarios.Result{Name: "long", Status: scenarios.Failed, Failures: []scenarios.Failure{{Oracle: "leak", Headline: "1 is left"}}}
	sh, err := New(s, found, "short.yaml", run.Parse)
	if err != nil {
		t.Fatal(err)
	}
	for candidate := sh.Next(); candidate != nil; candidate = sh.Next() {
		r := scenarios.Result{Status: scenarios.Passed}
		if slices.Contains(stepTexts(candidate), "capture last") {
			r = scenarios.Result{Status: scenarios.Failed, Failures: []scenarios.Failure{{Oracle: "leak", Headline: "2 are left"}}}
		}
		sh.Tell(sh.Same(r))
	}
	short, err := sh.Draft.Scenario("short.yaml")
	if err != nil || len(short.Steps) != 1 || short.Steps[0].Text != "capture last" {
		t.Errorf("%v, the steps are %v", err, stepTexts(short))
	}
}

// TestDraftOfAMatrix: what is written has values in the place of parameters, and a name that a file can have.
func TestDraftOfAMatrix(t *testing.T) {
	t.Parallel()
	text := strings.Replace(longScenario, "  steps:", "  parameters: {pause: {default: 2ms, description: how long}}\n  matrix: {code: [locked, not_found]}\n  steps:\n"+
		"  - fault: {name: f, match: {operation: GetInstance}, effect: {error: {code: \"${code}\"}}}\n  - sleep: ${pause}", 1)
	all, err := run.Parse("long.yaml", []byte(text))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d scenarios, %v", len(all), err)
	}
	d, err := NewDraft(all[1], run.Parse)
	if err != nil {
		t.Fatal(err)
	}
	short, err := d.Scenario("short.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if short.Name != "long-code-not-found" || short.Steps[1].Text != "sleep 2ms" || !strings.Contains(fmt.Sprint(stepTexts(short)), "fault f") {
		t.Errorf("it is %s with %v", short.Name, stepTexts(short))
	}
}

// TestDrafts pins the text of a scenario that was made shorter.
func TestDrafts(t *testing.T) {
	short, err := NewDraft(parseLong(t), run.Parse)
	if err == nil {
		short, err = short.keeping([]int{1, 3, 6}).settled()
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := short.Text("What is left of long:\n" + reporttest.Hostile)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/draft.yaml", text)
}
