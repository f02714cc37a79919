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

// TestServicesElsewhere: oracles see the Services of other namespaces, which no expression does.
func TestServicesElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		s := observe.NewStore("own")
		ctx, cancel := context.WithCancel(t.Context())
		feed, err := observe.WatchCluster(ctx, c.Kube, "", s, func() {})
		if err != nil {
			t.Fatal(err)
		}
		services := c.Kube.Resource(schema.GroupVersionResource{Version: "v1", Resource: "services"})
		for _, namespace := range []string{"own", "other"} {
			object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Service"}}
			object.SetName("web")
			if _, err := services.Namespace(namespace).Create(ctx, object, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		shown := s.Snapshot().Objects
		if own, others := shown["services"], shown[observe.ServicesElsewhere]; len(own) != 1 || own["web"] == nil || len(others) != 1 || others["other/web"] == nil {
			t.Errorf("own: %v, elsewhere: %v", own, others)
		}
		if err := services.Namespace("other").Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		shown = s.Snapshot().Objects
		if own, others := shown["services"], shown[observe.ServicesElsewhere]; len(own) != 1 || len(others) != 0 {
			t.Errorf("after the deletion: own: %v, elsewhere: %v", own, others)
		}
		cancel()
		feed.Wait()
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
