package existing_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/scenarios/step"
)

const serviceManifest = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
`

const volumeManifest = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume-of-a-run, finalizers: [example.org/guard]}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp}}
`

// theirsManifest changes an object of theirs, which must not become the run's by that.
const theirsManifest = `
apiVersion: v1
kind: ConfigMap
metadata: {name: shop, namespace: default}
data: {changed: by a scenario}
`

// apply applies a manifest as scenarios do, twice: the second time must keep the mark.
func apply(t *testing.T, world step.World, resource, manifest string) {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), &object.Object); err != nil {
		t.Fatal(err)
	}
	var client dynamic.ResourceInterface = world.Kube.Resource(schema.GroupVersionResource{Version: "v1", Resource: resource})
	if namespace := object.GetNamespace(); namespace != "" {
		client = world.Kube.Resource(schema.GroupVersionResource{Version: "v1", Resource: resource}).Namespace(namespace)
	}
	for range 2 {
		if _, err := client.Apply(t.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: "simcloud-test", Force: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// each calls add with the objects of a list.
func each(list runtime.Object, err error) func(kind string, add func(string, map[string]string, metav1.Object)) error {
	return func(kind string, add func(string, map[string]string, metav1.Object)) error {
		if err != nil {
			return err
		}
		return meta.EachListItem(list, func(o runtime.Object) error {
			object, err := meta.Accessor(o)
			if err == nil {
				add(kind, object.GetLabels(), object)
			}
			return err
		})
	}
}
