package step

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var scaleVerb = syntax.Verb{
	Name: "scale",
	Doc:  "sets the number of replicas of an object of the cluster",
	Schema: syntax.ObjectSchema([]string{"target", "replicas"}, map[string]any{
		"target": syntax.StringSchema, "replicas": map[string]any{"type": "integer", "minimum": 0},
	}),
	Parse: parseScale,
}

type scaleAction struct {
	target   target
	text     string
	replicas int
}

func parseScale(d *syntax.Decoder) syntax.Parsed {
	a := &scaleAction{}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			d.Object(n, "scale",
				syntax.Field{Name: "target", Required: true, Decode: func(n *yaml.Node) { a.text = n.Value; readTarget(d, "target", &a.target)(n) }},
				syntax.Field{Name: "replicas", Required: true, Decode: d.Number("replicas", &a.replicas)},
			)
		},
		Text: func() string { return fmt.Sprintf("%s to %d", a.text, a.replicas) },
	}
}

func (a *scaleAction) run(ctx context.Context, st *Stage) error {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, a.replicas)
	return patchObject(ctx, st, a.target, types.MergePatchType, patch, "scale")
}
