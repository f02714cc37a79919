package observe_test

import (
	"context"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestWatchedNamespaces: leases are those of the system, volumes have no
// namespace, and services are the scenario's own.
func TestWatchedNamespaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		old := c.Cloud.Answer
		c.Cloud.Answer = func(operation string, args map[string]any) (any, error) {
			if operation != "GetRegion" {
				return old(operation, args)
			}
			for _, w := range observe.Watched {
				for _, namespace := range []string{"", "kube-system", "test-one", "other"} {
					object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": w.GVR.GroupVersion().String(), "kind": w.Variable}}
					object.SetName(w.Variable + "-of-" + namespace)
					clusterWide := w.Namespace("test-one") == metav1.NamespaceAll
					if clusterWide != (namespace == "") {
						continue
					}
					if _, err := c.Kube.Resource(w.GVR).Namespace(namespace).Create(context.Background(), object, metav1.CreateOptions{}); err != nil {
						return nil, err
					}
				}
			}
			return nil, nil
		}
		runtest.Passes(t, runtest.Perform(t, c, `
  - cloud: {operation: GetRegion, args: {id: x}}
  - within: 60s
    expect:
    - nodes.map(n, n) == ["nodes-of-"] && persistentVolumes.map(n, n) == ["persistentVolumes-of-"]
    - leases.map(n, n) == ["leases-of-kube-system"]
    - services.map(n, n) == ["services-of-test-one"] && deployments.map(n, n) == ["deployments-of-test-one"]
`))
	})
}

// TestVariableFor: a write is waited for where the snapshot shows it, and nowhere else.
func TestVariableFor(t *testing.T) {
	leases := schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
	tests := []struct {
		gvr             schema.GroupVersionResource
		namespace, want string
	}{
		{leases, "kube-system", "leases"},
		{leases, "own", ""},
		{services, "own", "services"},
		{services, "other", ""},
		{observe.Watched[0].GVR, "", "nodes"},
		{schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "", ""},
	}
	for _, test := range tests {
		if got := observe.VariableFor(test.gvr, test.namespace, "own"); got != test.want {
			t.Errorf("%s of %q are %q, want %q", test.gvr.Resource, test.namespace, got, test.want)
		}
	}
}
