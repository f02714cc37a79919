package step

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

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
	Name:   "patch",
	Doc:    "patches an object of the cluster",
	Effect: syntax.Acts,
	Examples: []string{
		"{target: service/web, type: merge, patch: {spec: {type: ClusterIP}}}",
		"{target: service/web, subresource: status, patch: {status: {loadBalancer: {}}}}",
	},
	New: func() syntax.Action { return &patchAction{Type: "merge"} },
}

type patchAction struct {
	Target      target    `yaml:"target,required" doc:"an object of the cluster, such as service/web"`
	Type        string    `yaml:"type" enum:"merge,strategic,json" doc:"merge unless given"`
	Subresource string    `yaml:"subresource" doc:"such as status; the object itself unless given"`
	Patch       expr.Tree `yaml:"patch,required" doc:"the patch, as its type has it"`
}

func (a *patchAction) Text() string { return a.Target.text }

func (a *patchAction) run(ctx context.Context, st *Stage) error {
	patch, err := a.Patch.Expand(st.Store.Snapshot())
	if err != nil {
		return fmt.Errorf("the patch of %s: %w", a.Target.text, err)
	}
	raw, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("the patch of %s: %w", a.Target.text, err)
	}
	err = patchObject(ctx, st, a.Target, patchTypes[a.Type], raw, a.Subresource)
	return st.refusedByCluster(err, slices.Concat(a.Target.exprs(), a.Patch.Exprs())...)
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
		return fmt.Errorf("patch %s: %w", name, st.missingObject(err, variable, name, t.exprs()...))
	}
	if subresource == "scale" {
		return nil // the answer is a Scale, not the object
	}
	return st.seen(ctx, variable, written)
}

var scaleVerb = syntax.Verb{
	Name:     "scale",
	Doc:      "sets the number of replicas of an object of the cluster",
	Effect:   syntax.Acts,
	Examples: []string{"{target: deployment/web, replicas: 3}"},
	New:      func() syntax.Action { return &scaleAction{} },
}

type scaleAction struct {
	Target   target `yaml:"target,required" doc:"an object of the cluster, such as service/web"`
	Replicas int    `yaml:"replicas,required" doc:"how many there should be"`
}

func (a *scaleAction) Text() string { return fmt.Sprintf("%s to %d", a.Target.text, a.Replicas) }

func (a *scaleAction) run(ctx context.Context, st *Stage) error {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, a.Replicas)
	return st.refusedByCluster(patchObject(ctx, st, a.Target, types.MergePatchType, patch, "scale"), a.Target.exprs()...)
}
