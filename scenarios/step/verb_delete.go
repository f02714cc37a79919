package step

import (
	"context"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var deleteVerb = syntax.Verb{
	Name:     "delete",
	Doc:      "deletes an object of the cluster, or several, by <kind>/<name>; in finally it may be gone already",
	Effect:   syntax.Acts,
	Examples: []string{"service/web", "[service/web, node/node-1]"},
	New:      func() syntax.Action { return &deleteAction{} },
}

type deleteAction struct {
	Targets  []target `yaml:",value,single" empty:"want at least one"`
	tolerant bool     // an object that is gone already is as good
}

// Check lets objects of finally be gone.
func (a *deleteAction) Check(d *syntax.Decoder, _ *yaml.Node) { a.tolerant = d.Tolerant }

func (a *deleteAction) Text() string {
	var names []string
	for _, t := range a.Targets {
		names = append(names, t.text)
	}
	return strings.Join(names, " ")
}

func (a *deleteAction) run(ctx context.Context, st *Stage) error {
	for _, t := range a.Targets {
		if err := a.delete(ctx, st, t); err != nil {
			return fmt.Errorf("delete %s: %w", a.Text(), err)
		}
	}
	return nil
}

func (a *deleteAction) delete(ctx context.Context, st *Stage, t target) error {
	client, name, variable, err := t.find(st)
	if err != nil {
		return st.refusedByCluster(err, t.exprs()...)
	}
	object, err := client.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		err = client.Delete(ctx, name, metav1.DeleteOptions{})
	}
	if apierrors.IsNotFound(err) && a.tolerant {
		return nil
	}
	if err != nil || variable == "" {
		return st.refusedByCluster(st.missingObject(err, variable, name, t.exprs()...), t.exprs()...)
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
