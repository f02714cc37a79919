package step

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var deleteVerb = syntax.Verb{
	Name: "delete",
	Doc:  "deletes an object of the cluster, or several, by <kind>/<name>; in finally it may be gone already",
	Schema: map[string]any{"oneOf": []any{
		syntax.StringSchema, map[string]any{"type": "array", "minItems": 1, "items": syntax.StringSchema},
	}},
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &deleteAction{tolerant: d.Tolerant}
		return syntax.Parsed{Action: a, Decode: func(n *yaml.Node) { readTargets(d, n, a) }, Text: func() string { return a.text }}
	},
}

type deleteAction struct {
	targets  []target
	text     string
	tolerant bool // an object that is gone already is as good
}

func readTargets(d *syntax.Decoder, n *yaml.Node, a *deleteAction) {
	n = syntax.Resolve(n)
	one := func(n *yaml.Node) {
		var t target
		readTarget(d, "delete", &t)(n)
		a.targets = append(a.targets, t)
		a.text += " " + syntax.Resolve(n).Value
	}
	if n.Kind == yaml.SequenceNode {
		d.List(n, "delete", one)
		return
	}
	one(n)
}

func (a *deleteAction) run(ctx context.Context, st *Stage) error {
	for _, t := range a.targets {
		if err := a.delete(ctx, st, t); err != nil {
			return fmt.Errorf("delete%s: %w", a.text, err)
		}
	}
	return nil
}

func (a *deleteAction) delete(ctx context.Context, st *Stage, t target) error {
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
	st.Deleted = append(st.Deleted, string(object.GetUID()))
	return st.seenDeleted(ctx, variable, object)
}

// seenDeleted waits until the snapshot shows that an object is gone or going.
func (st *Stage) seenDeleted(ctx context.Context, variable string, deleted *unstructured.Unstructured) error {
	return st.Until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool {
		object, here := s.Objects[variable][deleted.GetName()]
		if !here {
			return true
		}
		u := unstructured.Unstructured{Object: object.(map[string]any)}
		return u.GetDeletionTimestamp() != nil || u.GetUID() != deleted.GetUID()
	})
}
