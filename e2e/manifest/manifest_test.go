package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDecode: everything that kubectl takes for objects, in the order and with the lines of the text.
func TestDecode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\n":                                                                "1 v1 Service a",
		"# a comment\n---\n\n---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n":                                       "5 v1 Service a",
		"---\n{apiVersion: v1, kind: Service, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Node, metadata: {name: b}}\n": "2 v1 Service a, 4 v1 Node b",
		"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: a}\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: v1, kind: Node, metadata: {name: b}}\n---\n" +
			"apiVersion: v1\nkind: Secret\nmetadata: {name: c}\n": "4 v1 Service a, 10 v1 Node b, 12 v1 Secret c",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleList\nitems:\n- metadata: {name: a}\n- {kind: Other, apiVersion: x/v1, metadata: {name: b}}\n": "4 rbac.authorization.k8s.io/v1 Role a, 5 x/v1 Other b",
		"apiVersion: v1\nkind: List\nitems: []\n":                            "",
		"apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\n": "1 example.com/v1 AllowList a",
		"{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Service\", \"metadata\": {\"name\": \"a\"}\n}\n{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"b\"}}": "1 v1 Service a, 5 v1 Node b",
		"{apiVersion: v1, kind: Service, metadata: {name: a}}": "1 v1 Service a",
		"apiVersion: v1\nkind: List\nitems:\n- &one {apiVersion: v1, kind: Node, metadata: {name: a, labels: &l {x: y}}}\n- {apiVersion: v1, kind: Pod, metadata: {name: b, labels: *l}}\n": "4 v1 Node a, 5 v1 Pod b",
		"": "",
	} {
		objects, err := Decode([]byte(text))
		var got []string
		for _, o := range objects {
			got = append(got, fmt.Sprintf("%d %s %s %s", o.Node.Line, o.GetAPIVersion(), o.GetKind(), o.GetName()))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); err != nil || diff != "" {
			t.Errorf("%s\n%v (-want +got):\n%s", text, err, diff)
		}
	}
	objects, err := Decode([]byte("{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"ports": []any{map[string]any{"port": int64(80)}}}, objects[0].Object["spec"]); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"kind: Service\nmetadata: {name: a}\n":                                                  "yaml: line 1: the object has no apiVersion",
		"\n---\napiVersion: v1\nmetadata: {name: a}\n":                                          "yaml: line 3: the object has no kind",
		"apiVersion: v1\nkind: Service\nmetadata: {generateName: a}\n":                          "the object has no metadata.name",
		"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Service}\n":               "yaml: line 4: the object has no metadata.name",
		"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, metadata: {name: a}}\n":         "yaml: line 4: the object has no kind",
		"apiVersion: v1\nkind: List\nitems:\n- text\n":                                          "yaml: line 4: the document is no object",
		"apiVersion: v1\nkind: List\nmetadata: {name: a}\n":                                     "yaml: line 1: the object of kind List has no items",
		"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]": `a Kustomization is no object of a cluster: want what "kubectl kustomize FOLDER" prints`,
		"just text": "yaml: line 1: the document is no object",
		"a: [b\n":   "did not find expected ',' or ']'",
		"apiVersion: v1\nkind: Service\nkind: Service\nmetadata: {name: a}\n": `"kind" already set`,
	} {
		if objects, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s\ngot %v, %v, want an error that says %q", text, objects, err, says)
		}
	}
}

// TestUnknownKind: only the kinds of Kubernetes itself are known, and so only they can be missing.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ apiVersion, kind, want string }{
		{"v1", "Service", ""},
		{"v1", "Servise", `Kubernetes has no kind "Servise" in v1 ("Service"?)`},
		{"apps/v1", "Service", `Kubernetes has no kind "Service" in apps/v1`},
		{"example.com/v1", "Servise", ""},
		{"a/b/c", "Service", ""},
	} {
		if got := UnknownKind(c.apiVersion, c.kind); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.apiVersion, c.kind, got, c.want)
		}
	}
}
