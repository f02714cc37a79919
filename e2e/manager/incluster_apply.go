package manager

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// fieldManager is what the harness calls itself in the objects that it applies.
const fieldManager = "simcloud-e2e"

// apply applies those of the objects whose kind is chosen, in their order.
func (i *inCluster) apply(ctx context.Context, objects []*unstructured.Unstructured, chosen func(kind string) bool) error {
	client, err := dynamic.NewForConfig(i.deps.Kube.Config)
	if err != nil {
		return err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(i.deps.Kube.Config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds))
	for _, object := range objects {
		if !chosen(object.GetKind()) {
			continue
		}
		if err := applyObject(ctx, client, mapper, object); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

func applyObject(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return err
	}
	var into dynamic.ResourceInterface = client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace { // as kubectl has it
		into = client.Resource(mapping.Resource).Namespace(cmp.Or(object.GetNamespace(), metav1.NamespaceDefault))
	}
	_, err = into.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	return err
}
