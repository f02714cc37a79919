package scenarios

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var deleteVerb = verb{
	name: "delete",
	doc:  "deletes an object of the cluster, or several, by <kind>/<name>; in finally it may be gone already",
	schema: map[string]any{"oneOf": []any{
		stringSchema, map[string]any{"type": "array", "minItems": 1, "items": stringSchema},
	}},
	parse: func(d *decoder) parsed {
		a := &deleteAction{tolerant: d.tolerant}
		return parsed{action: a, decode: func(n *yaml.Node) { readTargets(d, n, a) }, text: func() string { return a.text }}
	},
}

type deleteAction struct {
	targets  []target
	text     string
	tolerant bool // an object that is gone already is as good
}

func readTargets(d *decoder, n *yaml.Node, a *deleteAction) {
	n = resolve(n)
	one := func(n *yaml.Node) {
		var t target
		readTarget(d, "delete", &t)(n)
		a.targets = append(a.targets, t)
		a.text += " " + resolve(n).Value
	}
	if n.Kind == yaml.SequenceNode {
		d.list(n, "delete", one)
		return
	}
	one(n)
}

func (a *deleteAction) run(ctx context.Context, st *stage) error {
	for _, t := range a.targets {
		if err := a.delete(ctx, st, t); err != nil {
			return fmt.Errorf("delete%s: %w", a.text, err)
		}
	}
	return nil
}

func (a *deleteAction) delete(ctx context.Context, st *stage, t target) error {
	client, name, variable, err := t.find(st)
	if err != nil {
		return err
	}
	object, err := client.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		err = client.Delete(ctx, name, metav1.DeleteOptions{})
	}
	if apierrors.IsNotFound(err) && a.tolerant {
		return nil
	}
	if err != nil || variable == "" {
		return err
	}
	st.deleted = append(st.deleted, string(object.GetUID()))
	return st.seenDeleted(ctx, variable, object)
}

// seenDeleted waits until the snapshot shows that an object is gone or going.
func (st *stage) seenDeleted(ctx context.Context, variable string, deleted *unstructured.Unstructured) error {
	return st.until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool {
		object, here := s.Objects[variable][deleted.GetName()]
		if !here {
			return true
		}
		u := unstructured.Unstructured{Object: object.(map[string]any)}
		return u.GetDeletionTimestamp() != nil || u.GetUID() != deleted.GetUID()
	})
}
