package run

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestReadmeNamesAll: what can be written in a scenario is documented.
func TestReadmeNamesAll(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(everyVerb(), scenarios.Oracles(), []string{"within", "holds", "never", "meanwhile"})
	names = slices.AppendSeq(names, maps.Keys(observe.CallValue(simcloud.JournalEntry{})))
	for _, v := range expr.Variables {
		names = append(names, v.Name)
	}
	for _, name := range names {
		if !strings.Contains(string(readme), "`"+name) {
			t.Errorf("README.md does not say what %s is", name)
		}
	}
	for _, function := range []string{"condition", "tainted", "addresses", "label", "reasons", "metric", "settings"} {
		if !strings.Contains(string(readme), "`"+function+"(") {
			t.Errorf("README.md does not say what the function %s is", function)
		}
	}
}

// TestReadmeExamples: each verb has an example, and what is shown can be written so.
func TestReadmeExamples(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := stepsOfReadme(string(readme))
	shown := map[string]bool{}
	for _, step := range steps {
		files := fstest.MapFS{
			"a.yaml":          {Data: fmt.Appendf(nil, exampleAround, step)},
			"more/steps.yaml": {Data: []byte(exampleUsed)},
		}
		all, err := loader().LoadFS(files, ".")
		if err != nil {
			t.Errorf("%s\n%v", step, err)
			continue
		}
		for _, s := range all[0].Steps[exampleBefore:] {
			shown[s.Verb] = true
		}
		if strings.HasPrefix(step, "  - "+syntax.UseWord+":") {
			shown[syntax.UseWord] = true
		}
	}
	for _, name := range everyVerb() {
		if !shown[name] {
			t.Errorf("there is no example of %s among %d", name, len(steps))
		}
	}
}

// exampleAround is a scenario in which an example can stand, after exampleBefore steps that make what it is about.
const exampleAround = `
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: a}
spec:
  description: d
  packets: true
  steps:
  - fault: {name: lost, match: {operation: "*"}, effect: {hang: {}}}
  - capture: {ip: '"192.0.2.1"'}
  - traffic: {start: load, url: "http://${ip}/"}
%s
`

const exampleBefore = 3

const exampleUsed = `
apiVersion: simcloud.dev/v1alpha1
kind: Steps
metadata: {name: steps}
spec:
  description: d
  parameters: {name: {}}
  steps:
  - expect: '"${name}" == "web"'
`

var (
	readmeRowRE     = regexp.MustCompile("(?m)^\\| `([a-zA-Z]+)` \\| (.*) \\|$")
	readmeSpanRE    = regexp.MustCompile("`([^`]+)`")
	readmeHeadingRE = regexp.MustCompile(`(?m)^### ([a-z]+).*$`)
	readmeBlockRE   = regexp.MustCompile(`(?m)(^    - .*\n(    .*\n)*)`)
)

// stepsOfReadme are the steps that the chapter on them shows: in its table the
// first example of each row and all mappings, below a verb's heading all mappings, and the block.
func stepsOfReadme(readme string) []string {
	_, chapter, _ := strings.Cut(readme, "\n## Steps\n")
	chapter, _, _ = strings.Cut(chapter, "\n### Packets\n")
	var steps []string
	show := func(verb, text string, first bool) {
		for i, span := range readmeSpanRE.FindAllStringSubmatch(text, -1) {
			if first && i == 0 || strings.HasPrefix(span[1], "{") {
				steps = append(steps, fmt.Sprintf("  - %s: %s", verb, span[1]))
			}
		}
	}
	table, rest, _ := strings.Cut(chapter, "\n### ")
	for _, row := range readmeRowRE.FindAllStringSubmatch(table, -1) {
		if slices.Contains(everyVerb(), row[1]) && row[1] != "apply" && row[1] != "expect" {
			show(row[1], row[2], true)
		}
	}
	for section := range strings.SplitSeq("### "+rest, "\n### ") {
		section = "### " + strings.TrimPrefix(section, "### ")
		if heading := readmeHeadingRE.FindStringSubmatch(section); heading != nil && slices.Contains(everyVerb(), heading[1]) && heading[1] != "fault" {
			show(heading[1], section, false)
		}
	}
	for _, block := range readmeBlockRE.FindAllString(table, -1) {
		steps = append(steps, strings.TrimRight(strings.ReplaceAll("\n"+block, "\n    ", "\n  ")[1:], "\n"))
	}
	return steps
}

// everyVerb names the verbs that a step can have.
func everyVerb() []string { return append(syntax.VerbNames(step.Verbs()), syntax.UseWord) }
