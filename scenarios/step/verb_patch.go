package step

import (
	"context"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// patchTypes are the ways to patch by their short names.
var patchTypes = map[string]types.PatchType{
	"merge":     types.MergePatchType,
	"strategic": types.StrategicMergePatchType,
	"json":      types.JSONPatchType,
}

var patchVerb = syntax.Verb{
	Name: "patch",
	Doc:  "patches an object of the cluster",
	Schema: syntax.ObjectSchema([]string{"target", "patch"}, map[string]any{
		"target":      syntax.StringSchema,
		"type":        syntax.EnumSchema("merge", "strategic", "json"),
		"subresource": syntax.StringSchema,
		"patch":       map[string]any{"type": []string{"object", "array"}},
	}),
	Parse: parsePatch,
}

type patchAction struct {
	target      target
	text        string
	kind        string
	subresource string
	patch       expr.Tree
}

func parsePatch(d *syntax.Decoder) syntax.Parsed {
	a := &patchAction{kind: "merge"}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			d.Object(n, "patch",
				syntax.Field{Name: "target", Required: true, Decode: func(n *yaml.Node) { a.text = n.Value; readTarget(d, "target", &a.target)(n) }},
				syntax.Field{Name: "type", Required: false, Decode: d.Word("type", &a.kind, "merge", "strategic", "json")},
				syntax.Field{Name: "subresource", Required: false, Decode: d.Text("subresource", &a.subresource)},
				syntax.Field{Name: "patch", Required: true, Decode: func(n *yaml.Node) { a.patch = d.Tree(n) }},
			)
		},
		Text: func() string { return a.text },
	}
}

func (a *patchAction) run(ctx context.Context, st *Stage) error {
	patch, err := a.patch.Expand(st.Store.Snapshot())
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
func patchObject(ctx context.Context, st *Stage, t target, kind types.PatchType, patch []byte, subresource string) error {
	client, name, variable, err := t.find(st)
	if err != nil {
		return err
	}
	var subresources []string
	if subresource != "" {
		subresources = append(subresources, subresource)
	}
	written, err := client.Patch(ctx, name, kind, patch, metav1.PatchOptions{FieldManager: FieldManager}, subresources...)
	if err != nil {
		return fmt.Errorf("patch %s: %w", name, err)
	}
	if subresource == "scale" {
		return nil // the answer is a Scale, not the object
	}
	return st.seen(ctx, variable, written)
}
