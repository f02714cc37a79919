package observe

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKeys: a key counts that anything had for a moment, as what it was: a label of the cloud is one, and no annotation.
func TestKeys(t *testing.T) {
	t.Parallel()
	keys := NewKeys()
	s := NewStore("default", keys)
	node := func(taint, label string) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"labels": map[string]any{label: "x"}, "annotations": map[string]any{"note": ""}},
			"spec":     map[string]any{"taints": []any{map[string]any{"key": taint, "effect": "NoSchedule"}}},
		}
	}
	s.SetObject("nodes", "a", node("new", "zone"))
	s.SetObject("nodes", "a", node("old", "region"))
	s.SetObject("nodes", "a", nil)
	s.SetObject("services", "web", map[string]any{"metadata": map[string]any{"name": "web"}})
	keys.ResourceChanged("instances", "i-1", nil, map[string]any{"labels": map[string]any{"team": "blue"}, "annotations": map[string]any{"none": ""}})
	keys.ResourceChanged("instances", "i-2", map[string]any{"labels": map[string]any{"gone": ""}}, nil)
	for kind, want := range map[KeyKind][]string{TaintKey: {"new", "old"}, LabelKey: {"gone", "region", "team", "zone"}, AnnotationKey: {"note"}} {
		if diff := cmp.Diff(want, keys.All(kind)); diff != "" {
			t.Errorf("%ss (-want +got):\n%s", kind, diff)
		}
		if !keys.Had(kind, want[0]) || keys.Had(kind, "none") {
			t.Errorf("%s: had %q: %t, had none: %t", kind, want[0], keys.Had(kind, want[0]), keys.Had(kind, "none"))
		}
	}
	if keys.Had(TaintKey, "zone") {
		t.Error("a label is taken for a taint")
	}
}
