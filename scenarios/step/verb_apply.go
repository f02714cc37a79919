package step

import (
	"context"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// FieldManager is who the fields belong to that scenarios apply.
const FieldManager = "simcloud-test"

var applyVerb = syntax.Verb{
	Name:   "apply",
	Doc:    "applies manifests, one or more YAML documents, to the cluster",
	Schema: syntax.StringSchema,
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &ApplyAction{}
		return syntax.Parsed{Action: a, Decode: func(n *yaml.Node) { readManifests(d, n, a) }, Text: func() string { return a.text }}
	},
}

// ApplyAction applies manifests to the cluster.
type ApplyAction struct {
	Manifests expr.Template
	text      string
}

// readManifests reads a text of YAML documents and checks as much as can be known before values are put in.
func readManifests(d *syntax.Decoder, n *yaml.Node, a *ApplyAction) {
	n = syntax.Resolve(n)
	var source string
	before := len(d.Errs)
	if d.Text("apply", &source)(n); len(d.Errs) > before {
		return
	}
	a.Manifests = d.Template(n, source)
	objects, err := parseManifests(a.Manifests.Placeholder())
	if err != nil {
		at, message := syntax.YAMLErrorPosition(d.File, err)
		if n.Style == yaml.LiteralStyle {
			at.Line += n.Line
		} else {
			at = d.Pos(n)
		}
		d.ErrorAt(at, "%s", message)
		return
	}
	if len(objects) == 0 {
		d.Errorf(n, "apply holds no object")
	}
	var names []string
	for _, o := range objects {
		names = append(names, strings.ToLower(o.GetKind())+"/"+o.GetName())
	}
	a.text = strings.Join(names, ", ")
}

func (a *ApplyAction) run(ctx context.Context, st *Stage) error {
	text, err := a.Manifests.Expand(st.Store.Snapshot())
	if err != nil {
		return err
	}
	objects, err := parseManifests(text)
	if err != nil {
		return fmt.Errorf("the manifests, with the values put in: %w", err)
	}
	for _, object := range objects {
		if err := applyObject(ctx, st, object); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

func applyObject(ctx context.Context, st *Stage, object *unstructured.Unstructured) error {
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = st.Store.Snapshot().Namespace
	}
	client, variable, err := st.clientFor(object.GroupVersionKind(), namespace)
	if err != nil {
		return err
	}
	written, err := client.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: FieldManager, Force: true})
	if err != nil {
		return err
	}
	return st.seen(ctx, variable, written)
}
