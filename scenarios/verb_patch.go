package scenarios

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// patchTypes are the ways to patch by their short names.
var patchTypes = map[string]types.PatchType{
	"merge":     types.MergePatchType,
	"strategic": types.StrategicMergePatchType,
	"json":      types.JSONPatchType,
}

var patchVerb = verb{
	name: "patch",
	doc:  "patches an object of the cluster",
	schema: objectSchema([]string{"target", "patch"}, map[string]any{
		"target":      stringSchema,
		"type":        enumSchema("merge", "strategic", "json"),
		"subresource": stringSchema,
		"patch":       map[string]any{"type": []string{"object", "array"}},
	}),
	parse: parsePatch,
}

type patchAction struct {
	target      target
	text        string
	kind        string
	subresource string
	patch       expr.Tree
}

func parsePatch(d *decoder) parsed {
	a := &patchAction{kind: "merge"}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) {
			d.object(n, "patch",
				field{"target", true, func(n *yaml.Node) { a.text = n.Value; readTarget(d, "target", &a.target)(n) }},
				field{"type", false, d.word("type", &a.kind, "merge", "strategic", "json")},
				field{"subresource", false, d.text("subresource", &a.subresource)},
				field{"patch", true, func(n *yaml.Node) { a.patch = d.tree(n) }},
			)
		},
		text: func() string { return a.text },
	}
}

func (a *patchAction) run(ctx context.Context, st *stage) error {
	patch, err := a.patch.Expand(st.store.Snapshot())
	if err != nil {
		return fmt.Errorf("the patch of %s: %w", a.text, err)
	}
	raw, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("the patch of %s: %w", a.text, err)
	}
	return patchObject(ctx, st, a.target, patchTypes[a.kind], raw, a.subresource)
}

// patchObject patches an object and waits until the snapshot shows it.
func patchObject(ctx context.Context, st *stage, t target, kind types.PatchType, patch []byte, subresource string) error {
	client, name, variable, err := t.find(st)
	if err != nil {
		return err
	}
	var subresources []string
	if subresource != "" {
		subresources = append(subresources, subresource)
	}
	written, err := client.Patch(ctx, name, kind, patch, metav1.PatchOptions{FieldManager: fieldManager}, subresources...)
	if err != nil {
		return fmt.Errorf("patch %s: %w", name, err)
	}
	if subresource == "scale" {
		return nil // the answer is a Scale, not the object
	}
	return st.seen(ctx, variable, written)
}
