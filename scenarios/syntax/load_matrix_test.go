package syntax_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/reduce"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

const matrixScenario = `
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: lb, labels: {area: service}}
spec:
  description: The ${what} fails with ${code}.
  parameters:
    count: {default: 2, description: how many nodes there are}
    patience: {default: 30s}
    what: {default: call}
  matrix:
    code: [locked, unavailable]
    loses:
      answer: {reset: {when: after}}
      call: {reset: {when: before}}
  nodes: ${count}
  timeout: ${patience}
  steps:
  - fault: {name: one, match: {operation: "*"}, effect: "${loses}"}
  - fault: {name: two, match: {operation: "*"}, effect: {error: {code: "${code}"}}}
  - apply: |
      apiVersion: v1
      kind: Service
      metadata: {name: "${code}-${ns}", namespace: $NAMESPACE}
  - because: It is ${what} ${count}.
    within: ${patience}
    expect: nodes.size() == ${count} && nodes.all(name, name != "${code}")
`

func parsed1(t *testing.T, l syntax.Loader, text string) []*scenarios.Scenario {
	t.Helper()
	l.Verbs = step.Verbs()
	all, err := l.Parse("lb.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func namesOf(all []*scenarios.Scenario) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// TestMatrix: each combination is a scenario of its own, and a value can be of any kind.
func TestMatrix(t *testing.T) {
	all := parsed1(t, syntax.Loader{}, matrixScenario)
	want := []string{"lb[code=locked,loses=answer]", "lb[code=locked,loses=call]", "lb[code=unavailable,loses=answer]", "lb[code=unavailable,loses=call]"}
	if diff := cmp.Diff(want, namesOf(all)); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
	s := all[2]
	if s.Nodes != 2 || s.Timeout != 30*time.Second || s.Description != "The call fails with unavailable." || s.Base != "lb" {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff(map[string]string{"area": "service", "code": "unavailable", "loses": "answer"}, s.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"count": "2", "patience": "30s", "what": "call", "code": "unavailable", "loses": "answer"}, s.Parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	last := s.Steps[3]
	expects := last.Action.(*step.ExpectAction)
	if last.Because != "It is call 2." || expects.Time != 30*time.Second || expects.Exprs[0].Source != `nodes.size() == 2 && nodes.all(name, name != "unavailable")` {
		t.Errorf("%q, %s, %s", last.Because, expects.Time, expects.Exprs[0].Source)
	}
	if got := s.Steps[2].Action.(*step.ApplyAction).Manifests.Source(); !strings.Contains(got, `"unavailable-${ns}"`) {
		t.Errorf("the manifest is %s: what is no parameter must stay", got)
	}
}

// TestSet: what is set goes before a default, and leaves one value of a matrix.
func TestSet(t *testing.T) {
	all := parsed1(t, syntax.Loader{Set: map[string]string{"count": "7", "code": "internal", "loses": "call", "other": "x"}}, matrixScenario)
	if names := namesOf(all); len(names) != 1 || names[0] != "lb[code=internal,loses=call]" || all[0].Nodes != 7 {
		t.Errorf("%v, %d nodes", names, all[0].Nodes)
	}
	for set, says := range map[string]string{
		"count=many":  `lb.yaml:16:10: nodes is "many"`,
		"loses=mind":  `loses has no value "mind", which is set: want answer or call`,
		"code=a b":    `code has no value "a b"`,
		"patience={x": `the value "{x" that is set for patience is no YAML`,
	} {
		name, value, _ := strings.Cut(set, "=")
		_, err := syntax.Loader{Verbs: step.Verbs(), Set: map[string]string{name: value}}.Parse("lb.yaml", []byte(matrixScenario))
		if err == nil || !strings.Contains(err.Error(), says) || !scenarios.IsBadInput(err) {
			t.Errorf("--set %s: %v, want %q", set, err, says)
		}
	}
}

const userScenario = `
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: uses}
spec:
  description: d
  steps:
  - use: {file: more/steps.yaml, with: {seconds: 5s, effect: {hang: {}}}}
    because: The scenario must do it.
  - use: {name: load-balancer-service, with: {name: "x-${vm.resource.id}"}}
  finally:
  - use: {file: more/inner.yaml, with: {id: "${vm.resource.id}"}}
`

const usedSteps = `
apiVersion: simcloud.dev/v1alpha1
kind: Steps
metadata: {name: steps}
spec:
  description: d
  parameters:
    seconds: {}
    effect: {}
    name: {default: node-9}
  steps:
  - cloud: {operation: CreateInstance, args: {name: "${name}"}, capture: vm}
  - fault: {name: hangs, match: {operation: "*"}, effect: "${effect}"}
  - because: The steps must do it.
    within: ${seconds}
    expect: nodes.size() == 1
  - use: {file: inner.yaml, with: {id: i-1}}
`

const innerSteps = `
apiVersion: simcloud.dev/v1alpha1
kind: Steps
metadata: {name: inner}
spec:
  description: d
  parameters: {id: {}}
  steps:
  - cloud: {operation: DeleteInstance, args: {id: "${id}"}}
`

// TestUse: used steps are the scenario's own, know what steps before have captured, and say where they are from.
func TestUse(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "uses.yaml")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("uses.yaml", userScenario)
	write("more/steps.yaml", usedSteps)
	write("more/inner.yaml", innerSteps)
	all, err := loader().Load(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v: files of steps are no scenarios", namesOf(all), err)
	}
	s := all[0]
	var steps []string
	for _, step := range slices.Concat(s.Steps, s.Finally) {
		steps = append(steps, strings.ReplaceAll(step.Place(), dir+"/", "")+" "+step.Verb+" "+step.Because)
	}
	library := filepath.Join("library", "steps", "load-balancer-service.yaml")
	want := []string{
		"more/steps.yaml:12:5, used at uses.yaml:8:5 cloud The scenario must do it.",
		"more/steps.yaml:13:5, used at uses.yaml:8:5 fault The scenario must do it.",
		"more/steps.yaml:14:5, used at uses.yaml:8:5 expect The steps must do it.",
		"more/inner.yaml:9:5, used at more/steps.yaml:17:5, used at uses.yaml:8:5 cloud The scenario must do it.",
		library + ":12:5, used at uses.yaml:10:5 apply ",
		library + ":17:5, used at uses.yaml:10:5 expect A CCM must make a load balancer for a Service that asks for one, and write its address into the Service.",
		"more/inner.yaml:9:5, used at uses.yaml:12:5 cloud ",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if hangs := s.Steps[1].Action.(*step.FaultAction); hangs == nil || s.Steps[2].Action.(*step.ExpectAction).Time != 5*time.Second {
		t.Errorf("the values are not those that are given: %+v", s.Steps)
	}
	if d, err := reduce.NewDraft(s, loader().Parse); err != nil {
		t.Error(err)
	} else if again, err := d.Scenario("again.yaml"); err != nil || len(again.Steps) != len(s.Steps) || again.Steps[0].Because != s.Steps[0].Because || len(again.Steps[0].Via) > 0 {
		t.Errorf("%v, as one file %+v", err, again)
	}
	if again, err := loader().Load(dir, filepath.Dir(file)+"/./uses.yaml", file); err != nil || len(again) != 1 {
		t.Errorf("the folder and the file, twice: %v, %v", namesOf(again), err)
	}
	if _, err := loader().Load(filepath.Join(dir, "more", "steps.yaml")); err != nil {
		t.Errorf("a file of steps alone: %v", err)
	}
}

// TestWholeSource: what a scenario was made of is a scenario without parameters, a matrix and uses.
func TestWholeSource(t *testing.T) {
	for _, s := range parsed1(t, syntax.Loader{}, matrixScenario) {
		d, err := reduce.NewDraft(s, loader().Parse)
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.Scenario("again.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Steps) != len(s.Steps) || again.Nodes != s.Nodes || again.Timeout != s.Timeout || again.Description != s.Description {
			t.Errorf("%s: %+v, want %+v", s.Name, again, s)
		}
	}
}
