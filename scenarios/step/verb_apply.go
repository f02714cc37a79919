package step

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/e2e/manifest"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// FieldManager is who the fields belong to that scenarios apply.
const FieldManager = "simcloud-test"

var applyVerb = syntax.Verb{
	Name:     "apply",
	Doc:      "applies manifests to the cluster, by server-side apply: YAML documents or JSON, and Lists of objects",
	Effect:   syntax.Acts,
	Examples: []string{"'{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}'"},
	New:      func() syntax.Action { return &ApplyAction{} },
}

// ApplyAction applies manifests to the cluster.
type ApplyAction struct {
	Manifests manifests `yaml:",value"`
}

// Text says in one line what the step does.
func (a *ApplyAction) Text() string { return strings.Join(a.Manifests.names, ", ") }

// manifests are a text of objects, as kubectl takes it.
type manifests struct {
	expr.Template
	names []string
}

func (*manifests) Schema() map[string]any { return syntax.StringSchema }

// Read checks as much as can be known before values are put in.
func (m *manifests) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	n = syntax.Resolve(n)
	source, ok := d.ReadText(n, what)
	if !ok {
		return
	}
	m.Template = d.Template(n, source)
	objects, err := manifest.Decode([]byte(m.Placeholder()))
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
		d.Errorf(n, "%s holds no object", what)
	}
	m.checkFields(d, n, objects)
	for _, o := range objects {
		m.names = append(m.names, strings.ToLower(o.GetKind())+"/"+o.GetName())
	}
}

// checkFields reports what Kubernetes does not have: kinds, and fields of its own kinds.
func (*manifests) checkFields(d *syntax.Decoder, n *yaml.Node, objects []manifest.Object) {
	for _, object := range objects {
		for _, wrong := range manifestMistakes(object.Node) {
			at := d.Pos(n)
			if n.Style == yaml.LiteralStyle {
				at = scenarios.Position{File: at.File, Line: n.Line + wrong.at.Line, Column: d.Indent(n.Line+1) + wrong.at.Column}
			}
			d.ErrorAt(at, wrong.said, wrong.args...)
		}
	}
}

func (a *ApplyAction) run(ctx context.Context, st *Stage) error {
	text, err := a.Manifests.Expand(st.Store.Snapshot())
	if err != nil {
		return err
	}
	objects, err := manifest.Decode([]byte(text))
	if err != nil {
		return fmt.Errorf("the manifests, with the values put in: %w", err)
	}
	for _, object := range objects {
		if object.GetKind() == "Service" {
			annotate(object.Unstructured, st.ServiceAnnotations)
		}
		if err := applyObject(ctx, st, object.Unstructured); err != nil {
			err = fmt.Errorf("apply %s %s: %w%s", object.GetKind(), object.GetName(), err, exportedHint(object.Unstructured, err))
			if apierrors.IsNotFound(err) && st.fixed(a.Manifests.Exprs()...) { // the namespace that it names
				return mistakeError{err}
			}
			return st.refusedByCluster(err, a.Manifests.Exprs()...)
		}
	}
	return nil
}

// exportedHint says what to do with a manifest that the server refuses because it has what only the server sets, such as one that
// "kubectl get -o yaml" has printed; empty for any other.
func exportedHint(object *unstructured.Unstructured, err error) string {
	if !apierrors.IsConflict(err) {
		return ""
	}
	var set []string
	for field, value := range map[string]string{"metadata.uid": string(object.GetUID()), "metadata.resourceVersion": object.GetResourceVersion()} {
		if value != "" {
			set = append(set, field)
		}
	}
	if len(set) == 0 {
		return ""
	}
	slices.Sort(set)
	return fmt.Sprintf(": remove %s, which the API server sets", strings.Join(set, " and "))
}

// annotate gives an object the annotations that it does not have.
func annotate(object *unstructured.Unstructured, more map[string]string) {
	if len(more) == 0 {
		return
	}
	all := maps.Clone(more)
	maps.Copy(all, object.GetAnnotations())
	object.SetAnnotations(all)
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
