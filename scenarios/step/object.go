package step

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// target names an object of the cluster: "service/web".
type target struct {
	text string
	kind expr.Template
	name expr.Template
}

func (*target) Schema() map[string]any { return syntax.StringSchema }

func (t *target) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	text, ok := d.ReadText(n, what)
	if !ok {
		return
	}
	kind, name, found := strings.Cut(text, "/")
	if !found || kind == "" || name == "" {
		d.Errorf(n, "%s is %q: want <kind>/<name> such as service/web", what, text)
		return
	}
	t.text, t.kind, t.name = text, d.Template(n, kind), d.Template(n, name)
}

// exprs are the expressions in the target.
func (t target) exprs() []*expr.Expr { return slices.Concat(t.kind.Exprs(), t.name.Exprs()) }

// find returns the client for a target, the name of the object, and where the snapshot shows it.
func (t target) find(st *Stage) (dynamic.ResourceInterface, string, string, error) {
	s := st.Store.Snapshot()
	kind, err := t.kind.Expand(s)
	if err != nil {
		return nil, "", "", err
	}
	name, err := t.name.Expand(s)
	if err != nil {
		return nil, "", "", err
	}
	kinds, err := st.Mapper.KindFor(schema.ParseGroupResource(strings.ToLower(kind)).WithVersion(""))
	if err != nil {
		return nil, "", "", fmt.Errorf("the cluster has no kind %q: %w", kind, err)
	}
	if kinds.Kind == "Node" {
		name = s.NodeName(name)
	}
	client, variable, err := st.clientFor(kinds, s.Namespace)
	return client, name, variable, err
}

// clientFor returns the client for a kind: of a namespace when the kind has namespaces.
func (st *Stage) clientFor(kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, string, error) {
	mapping, err := st.Mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, "", fmt.Errorf("the cluster has no kind %s: %w", kind, err)
	}
	client, own := st.Kube.Resource(mapping.Resource), st.Store.Snapshot().Namespace
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return client, observe.VariableFor(mapping.Resource, metav1.NamespaceAll, own), nil
	}
	return client.Namespace(namespace), observe.VariableFor(mapping.Resource, namespace, own), nil
}

// seen waits until the snapshot shows an object as a write left it.
func (st *Stage) seen(ctx context.Context, variable string, written *unstructured.Unstructured) error {
	if variable == "" || written == nil {
		return nil
	}
	return st.Until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool {
		object, here := s.Objects[variable][written.GetName()]
		if !here {
			return written.GetDeletionTimestamp() != nil // else its creation is still on the way
		}
		u := unstructured.Unstructured{Object: object.(map[string]any)}
		return u.GetUID() != written.GetUID() || !olderThan(u.GetResourceVersion(), written.GetResourceVersion())
	})
}

// olderThan compares resource versions of one object, which are numbers since Kubernetes 1.35.
func olderThan(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	return errX == nil && errY == nil && x < y
}

// Until waits for a snapshot that fulfils a condition.
func (st *Stage) Until(ctx context.Context, from observe.Source, fulfilled func(*observe.Snapshot) bool) error {
	s, sub := st.Store.Subscribe(map[observe.Source]bool{from: true})
	defer sub.Cancel()
	if fulfilled(s) {
		return nil
	}
	for {
		select {
		case <-sub.Wake:
			for _, s := range sub.Take() {
				if fulfilled(s) {
					return nil
				}
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
