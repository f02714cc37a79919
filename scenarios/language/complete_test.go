package language_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/language"
)

// head is how all the files here begin.
const head = `apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata:
  name: a
spec:
  description: A test.
  nodes: 1
`

// cursor takes the ¦ out of a text, and tells where it was.
func cursor(t *testing.T, text string) (file string, line, column int) {
	t.Helper()
	before, after, found := strings.Cut(text, "¦")
	if !found {
		t.Fatal("no cursor in the text")
	}
	return before + after, strings.Count(before, "\n"), len(before) - strings.LastIndex(before, "\n") - 1
}

// TestComplete: what can stand at the cursor, in files that no parser can read yet.
func TestComplete(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		want, never []string
	}{
		{"a key of the file", "apiVersion: simcloud.dev/v1alpha1\nk¦", []string{"kind", "metadata", "spec"}, []string{"apiVersion", "steps"}},
		{"a key of spec", head + "  ¦", []string{"steps", "finally", "parameters"}, []string{"nodes", "metadata"}},
		{"a verb", head + "  steps:\n    - ¦", []string{"expect", "cloud", "apply", "use"}, []string{"steps"}},
		{"a verb of a list that is not indented", head + "  steps:\n  - ¦", []string{"expect", "cloud"}, []string{"steps"}},
		{"a key beside the verb", head + "  steps:\n    - expect: 'true'\n      ¦", []string{"within", "holds", "because"}, []string{"expect", "args"}},
		{"before a verb", head + "  steps:\n    - be¦\n      cloud: {operation: ListZones}", []string{"because", "timeout"}, []string{"cloud", "holds"}},
		{"after another step", head + "  steps:\n    - sleep: 1s\n    - expect: 'true'\n      ¦\n    - sleep: 2s", []string{"within"}, []string{"sleep"}},
		{"a key of a verb", head + "  steps:\n    - cloud:\n        ¦", []string{"operation", "args", "capture", "fails"}, []string{"within"}},
		{"a key of a flow", head + "  steps:\n    - cloud: {operation: ListZones, ¦}", []string{"args", "capture"}, []string{"operation"}},
		{"an operation", head + "  steps:\n    - cloud: {operation: Cr¦", []string{"CreateInstance", "DeleteVolume"}, []string{"WatchEvents", "expect"}},
		{"an argument", head + "  steps:\n    - cloud: {operation: CreateInstance, args: {name: a, ¦", []string{"type", "zone", "labels"}, []string{"name", "operation"}},
		{"an argument in a block", head + "  steps:\n    - cloud:\n        operation: CreateInstance\n        args:\n          zone: a\n          ¦", []string{"type", "name"}, []string{"zone", "operation"}},
		{"a word", head + "  steps:\n    - ccm: ¦", []string{"restart", "kill", "stop"}, []string{"allow"}},
		{"a word of a list", head + "  capabilities: [nodes, ¦", []string{"routes", "udp"}, nil},
		{"a truth", head + "  light: ¦", []string{"true", "false"}, nil},
		{"a variable", head + "  steps:\n    - expect: ¦", []string{"nodes", "instances", "tainted", "has"}, []string{"all", "within"}},
		{"a variable in quotes", head + "  steps:\n    - expect: 'size(¦", []string{"nodes", "instances"}, []string{"all"}},
		{"an expression of a list", head + "  steps:\n    - expect:\n        - ¦", []string{"nodes", "instances"}, []string{"within"}},
		{"a field of a list's element", head + "  steps:\n    - expect: instances[0].¦", []string{"state", "zone", "addresses"}, []string{"nodes", "size.x"}},
		{"a field of an object by name", head + `  steps:` + "\n" + `    - expect: nodes["a.b"].spec.¦`, []string{"providerID", "taints"}, []string{"status"}},
		{"a field in a block of text", head + "  steps:\n    - expect: |\n        nodes.size() == 1 &&\n        services[\"web\"].status.¦", []string{"loadBalancer"}, []string{"spec", "expect"}},
		{"a field of a macro's variable", head + "  steps:\n    - expect: instances.all(vm, vm.¦", []string{"state", "zone"}, []string{"taints"}},
		{"a field behind a filter", head + "  steps:\n    - expect: 'loadBalancers.filter(l, l.name == \"(x\").all(lb, lb.targets.exists(t, t.¦", []string{"instance", "health"}, []string{"vips"}},
		{"a field of an answer", head + "  steps:\n    - cloud: {operation: CreateInstance, args: {name: a}, capture: made}\n    - expect: made.resource.¦", []string{"id", "zone"}, []string{"resource"}},
		{"captured names", head + "  steps:\n    - capture: {uid: nodes[\"a\"].metadata.uid, other: ns}\n    - expect: ¦", []string{"uid", "other"}, nil},
		{"no name that is captured later", head + "  steps:\n    - expect: ¦\n    - capture: {uid: ns}", nil, []string{"uid"}},
		{"captured names in a text", head + "  steps:\n    - cloud:\n        operation: CreateInstance\n        capture: made\n    - cloud: {operation: DeleteInstance, args: {id: ¦", []string{"${made}"}, nil},
		{"steps of their own file", "apiVersion: simcloud.dev/v1alpha1\nkind: Steps\nspec:\n  ¦", []string{"steps", "parameters"}, []string{"nodes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, line, column := cursor(t, c.text)
			var got []string
			for _, p := range language.Complete(text, line, column) {
				if slices.Contains(got, p.Text) {
					t.Errorf("%s twice", p.Text)
				}
				got = append(got, p.Text)
			}
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("no %s among %q", want, got)
				}
			}
			for _, never := range c.never {
				if slices.Contains(got, never) {
					t.Errorf("%s is proposed", never)
				}
			}
		})
	}
}

// TestHover: what the word at the cursor is.
func TestHover(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a key", "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nspec:\n  descr¦iption: a", "which promise of a CCM"},
		{"a verb", head + "  steps:\n    - exp¦ect: 'true'", "expects an expression"},
		{"a key beside a verb", head + "  steps:\n    - expect: 'true'\n      hol¦ds: 2s", "true in every snapshot"},
		{"an operation", head + "  steps:\n    - cloud: {operation: Create¦Instance}", "Arguments:\n- `"},
		{"an argument", head + "  steps:\n    - cloud: {operation: CreateInstance, args: {zo¦ne: a}}", "**zone** `string`"},
		{"a variable", head + "  steps:\n    - expect: nod¦es.size() == 1", "the Nodes by name"},
		{"a field", head + "  steps:\n    - expect: instances[0].sta¦te == 'running'", "**instances.state**"},
		{"a macro's variable", head + "  steps:\n    - expect: instances.all(vm, v¦m.state == 'running')", "**instances**"},
		{"a function", head + "  steps:\n    - expect: tain¦ted(nodes['a'], 'x')", "has a taint with the key"},
		{"a macro", head + "  steps:\n    - expect: instances.ex¦ists(vm, vm.id == 'x')", "any value in the list"},
		{"a captured answer", head + "  steps:\n    - cloud: {operation: CreateInstance, capture: made}\n    - expect: ma¦de.resource.id != ''", "CreateInstance"},
		{"nothing", head + "  steps: ¦", ""},
		{"a text", head + "  # a comment abo¦ut nodes", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, line, column := cursor(t, c.text)
			got := language.Hover(text, line, column)
			if !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("got %q, want it to have %q", got, c.want)
			}
		})
	}
}

// FuzzPlaces: whatever the file and the cursor, there is an answer and no panic.
func FuzzPlaces(f *testing.F) {
	f.Add(head+"  steps:\n    - expect: instances.all(vm, vm.", 8, 40)
	f.Add("a: {b: [c, {d: }]}]", 0, 19)
	f.Add("- - - a: |\n\n   x", 2, 4)
	f.Fuzz(func(_ *testing.T, text string, line, column int) {
		language.Complete(text, line, column)
		language.Hover(text, line, column)
	})
}
