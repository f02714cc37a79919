package step_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestServiceAnnotations: a Service that is applied gets the annotations of the profile that it does not have, and
// nothing else gets them.
func TestServiceAnnotations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		c.ServiceAnnotations = map[string]string{"kind": "network", "color": "red"}
		applied := map[string]map[string]string{}
		c.Kube.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			patch := action.(clienttesting.PatchAction) //nolint:errcheck // it reacts to patches
			var object unstructured.Unstructured
			if err := object.UnmarshalJSON(patch.GetPatch()); err != nil {
				t.Error(err)
			}
			applied[patch.GetName()] = object.GetAnnotations()
			err := c.Kube.Tracker().Create(action.GetResource(), &object, action.GetNamespace())
			return true, &object, err
		})
		runtest.Passes(t, runtest.Perform(t, c, `
  - apply: |
      {apiVersion: v1, kind: Service, metadata: {name: web, annotations: {color: blue, own: as-it-is}}, spec: {ports: [{port: 80}]}}
      ---
      {apiVersion: v1, kind: Service, metadata: {name: plain}, spec: {ports: [{port: 80}]}}
      ---
      {apiVersion: v1, kind: PersistentVolume, metadata: {name: volume}, spec: {capacity: {storage: 1Gi}}}
`))
		want := map[string]map[string]string{
			"web": {"kind": "network", "color": "blue", "own": "as-it-is"}, "plain": {"kind": "network", "color": "red"}, "volume": nil,
		}
		if diff := cmp.Diff(want, applied); diff != "" {
			t.Errorf("wrong annotations (-want +got):\n%s", diff)
		}
	})
}

// TestApplyList: a List is applied as its items, which its text names and lint judges.
func TestApplyList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		var applied []string
		c.Kube.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			patch := action.(clienttesting.PatchAction) //nolint:errcheck // it reacts to patches
			applied = append(applied, action.GetResource().Resource+"/"+patch.GetName())
			var object unstructured.Unstructured
			err := errors.Join(object.UnmarshalJSON(patch.GetPatch()), c.Kube.Tracker().Create(action.GetResource(), &object, action.GetNamespace()))
			return true, &object, err
		})
		runtest.Passes(t, runtest.Perform(t, c, `
  - apply: |
      apiVersion: v1
      kind: List
      items:
      - {apiVersion: v1, kind: Service, metadata: {name: web, namespace: $NAMESPACE}, spec: {ports: [{port: 80}]}}
      - {apiVersion: v1, kind: Service, metadata: {name: dns, namespace: $NAMESPACE}, spec: {ports: [{port: 53}]}}
  - expect: services.size() == 2
`))
		if diff := cmp.Diff([]string{"services/web", "services/dns"}, applied); diff != "" {
			t.Errorf("applied (-want +got):\n%s", diff)
		}
	})
}
