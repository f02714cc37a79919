package syntax_test

import (
	"cmp"
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
	"github.com/simcloud-dev/simcloud/scenarios/golden"
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
	names := slices.Concat(syntax.VerbNames(everyVerb()), scenarios.Oracles(), []string{"within", "holds", "never", "meanwhile"})
	names = slices.AppendSeq(names, maps.Keys(observe.CallValue(simcloud.JournalEntry{}, 0)))
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

//go:generate go test -run ^(TestSchema|TestReadmeVerbs)$ -update .

// TestReadmeVerbs holds the table of verbs against what the verbs say of themselves; with
// -update it is written.
func TestReadmeVerbs(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := generatedRE.ReplaceAll(readme, []byte("${1}"+strings.ReplaceAll(verbTable(), "$", "$$")+"${2}"))
	golden.Check(t, "../README.md", want)
}

// generatedRE finds the part of the README that is made of the verbs.
var generatedRE = regexp.MustCompile(`(?s)(<!-- generated: verbs -->\n).*?(<!-- end -->)`)

func verbTable() string {
	var b strings.Builder
	b.WriteString("| verb | examples | what it does | effect |\n|---|---|---|---|\n")
	for _, v := range everyVerb() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", v.Name, strings.Join(v.Examples, "`, `"), strings.ReplaceAll(v.Doc, "<", "&lt;"), cmp.Or(string(v.Effect), "that of the steps"))
	}
	return b.String()
}

// TestReadmeExamples: what is shown can be written so.
func TestReadmeExamples(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := stepsOfReadme(string(readme))
	for _, v := range everyVerb() {
		for _, example := range v.Examples {
			steps = append(steps, fmt.Sprintf("  - %s: %s", v.Name, example))
		}
	}
	for _, step := range steps {
		files := fstest.MapFS{
			"a.yaml":          {Data: fmt.Appendf(nil, exampleAround, step)},
			"more/steps.yaml": {Data: []byte(exampleUsed)},
		}
		if _, err := loader().LoadFS(files, "."); err != nil {
			t.Errorf("%s\n%v", step, err)
		}
	}
}

// exampleAround is a scenario in which an example can stand, after steps that make what it is about.
const exampleAround = `
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: a}
spec:
  description: d
  packets: true
  nodes: 1
  steps:
  - fault: {name: lost, match: {operation: "*"}, effect: {hang: {}}}
  - capture: {ip: '"192.0.2.1"'}
  - traffic: {start: load, url: "http://${ip}/"}
%s
`

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
	readmeSpanRE    = regexp.MustCompile("`([^`]+)`")
	readmeHeadingRE = regexp.MustCompile(`(?m)^### ([a-z]+).*$`)
	readmeBlockRE   = regexp.MustCompile(`(?m)(^    - .*\n(    .*\n)*)`)
)

// stepsOfReadme are the steps that the chapter on them shows besides its table: below a
// verb's heading all mappings, and the block.
func stepsOfReadme(readme string) []string {
	_, chapter, _ := strings.Cut(readme, "\n## Steps\n")
	chapter, _, _ = strings.Cut(chapter, "\n### Packets\n")
	var steps []string
	first, rest, _ := strings.Cut(chapter, "\n### ")
	for section := range strings.SplitSeq("### "+rest, "\n### ") {
		section = "### " + strings.TrimPrefix(section, "### ")
		heading := readmeHeadingRE.FindStringSubmatch(section)
		if heading == nil || heading[1] == "fault" {
			continue
		}
		for _, span := range readmeSpanRE.FindAllStringSubmatch(section, -1) {
			if strings.HasPrefix(span[1], "{") {
				steps = append(steps, fmt.Sprintf("  - %s: %s", heading[1], span[1]))
			}
		}
	}
	for _, block := range readmeBlockRE.FindAllString(first, -1) {
		steps = append(steps, strings.TrimRight(strings.ReplaceAll("\n"+block, "\n    ", "\n  ")[1:], "\n"))
	}
	return steps
}

// everyVerb are the verbs that a step can have.
func everyVerb() []syntax.Verb { return append(step.Verbs(), syntax.UseVerb()) }
