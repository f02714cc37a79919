package expr

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

const explainWorld = `
services:
  web: {metadata: {name: web, uid: u-1}, spec: {ports: [{port: 80}, {port: 443}]}, status: {loadBalancer: {}}}
nodes:
  node-1: {metadata: {name: node-1, labels: {zone: a}}, spec: {providerID: "x://i-1"}, status: {conditions: [{type: Ready, status: "True"}]}}
  node-2: {metadata: {name: node-2}, spec: {taints: [{key: uninitialized}]}, status: {conditions: [{type: Ready, status: "False"}]}}
instances:
- {id: i-1, hostname: node-1, zone: a}
- {id: i-2, hostname: node-2, zone: b}
loadBalancers:
- {id: lb-1, name: one, listeners: [{protocol: tcp, port: 80}], targets: [{instance: i-1}], labels: {}}
`

func explainSnapshot(t *testing.T) *observe.Snapshot {
	t.Helper()
	raw, err := sigsyaml.YAMLToJSON([]byte(explainWorld))
	if err != nil {
		t.Fatal(err)
	}
	var world map[string]any
	if err := utiljson.Unmarshal(raw, &world); err != nil {
		t.Fatal(err)
	}
	s := observe.NewSnapshot("default")
	for _, name := range []string{"services", "nodes"} {
		s.Objects[name] = world[name].(map[string]any)
	}
	for _, name := range []string{"instances", "loadBalancers"} {
		s.Resources[name] = world[name].([]any)
	}
	return s
}

// TestExplain pins what a failure says of the parts of an expression.
func TestExplain(t *testing.T) {
	s := explainSnapshot(t)
	golden.Archives(t, "testdata/explain/*.txtar", func(t *testing.T, in txtar.File) string {
		var out strings.Builder
		for line := range strings.Lines(string(in.Data)) {
			c, err := NewCompiler()
			if err != nil {
				t.Fatal(err)
			}
			e, issues := c.Compile(strings.TrimSpace(line))
			if e == nil {
				t.Fatalf("%s: %v", line, issues)
			}
			out.WriteString("? " + e.Source + "\n")
			for _, l := range Explain(e, s) {
				out.WriteString(l + "\n")
			}
		}
		return out.String()
	})
}
