package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fieldManager is who the fields belong to that scenarios apply.
const fieldManager = "simcloud-test"

var applyVerb = verb{
	name:   "apply",
	doc:    "applies manifests, one or more YAML documents, to the cluster",
	schema: stringSchema,
	parse: func(d *decoder) parsed {
		a := &applyAction{}
		return parsed{action: a, decode: func(n *yaml.Node) { readManifests(d, n, a) }, text: func() string { return a.text }}
	},
}

type applyAction struct {
	manifests expr.Template
	text      string
}

// readManifests reads a text of YAML documents and checks as much as can be known before values are put in.
func readManifests(d *decoder, n *yaml.Node, a *applyAction) {
	n = resolve(n)
	var source string
	before := len(d.errs)
	if d.text("apply", &source)(n); len(d.errs) > before {
		return
	}
	a.manifests = d.template(n, source)
	objects, err := parseManifests(a.manifests.Placeholder())
	if err != nil {
		at, message := yamlErrorPosition(d.file, err)
		if n.Style == yaml.LiteralStyle {
			at.Line += n.Line
		} else {
			at = d.pos(n)
		}
		d.errorAt(at, "%s", message)
		return
	}
	if len(objects) == 0 {
		d.errorf(n, "apply holds no object")
	}
	var names []string
	for _, o := range objects {
		names = append(names, strings.ToLower(o.GetKind())+"/"+o.GetName())
	}
	a.text = strings.Join(names, ", ")
}

func (a *applyAction) run(ctx context.Context, st *stage) error {
	text, err := a.manifests.Expand(st.store.Snapshot())
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

func applyObject(ctx context.Context, st *stage, object *unstructured.Unstructured) error {
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = st.store.Snapshot().Namespace
	}
	client, variable, err := st.clientFor(object.GroupVersionKind(), namespace)
	if err != nil {
		return err
	}
	written, err := client.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if err != nil {
		return err
	}
	return st.seen(ctx, variable, written)
}
