package scenarios

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/types"
)

var scaleVerb = verb{
	name: "scale",
	doc:  "sets the number of replicas of an object of the cluster",
	schema: objectSchema([]string{"target", "replicas"}, map[string]any{
		"target": stringSchema, "replicas": map[string]any{"type": "integer", "minimum": 0},
	}),
	parse: parseScale,
}

type scaleAction struct {
	target   target
	text     string
	replicas int
}

func parseScale(d *decoder) parsed {
	a := &scaleAction{}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) {
			d.object(n, "scale",
				field{"target", true, func(n *yaml.Node) { a.text = n.Value; readTarget(d, "target", &a.target)(n) }},
				field{"replicas", true, d.number("replicas", &a.replicas)},
			)
		},
		text: func() string { return fmt.Sprintf("%s to %d", a.text, a.replicas) },
	}
}

func (a *scaleAction) run(ctx context.Context, st *stage) error {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, a.replicas)
	return patchObject(ctx, st, a.target, types.MergePatchType, patch, "scale")
}
