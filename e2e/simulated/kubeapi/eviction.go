package kubeapi

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
)

// evictionREST serves the subresource eviction of pods. No budget keeps a pod.
type evictionREST struct{ pods *registry.Store }

var (
	_ rest.NamedCreater             = evictionREST{}
	_ rest.GroupVersionKindProvider = evictionREST{}
)

// New makes an empty eviction.
func (evictionREST) New() runtime.Object { return &policyv1.Eviction{} }

// Destroy has nothing to do.
func (evictionREST) Destroy() {}

// GroupVersionKind is that of the request.
func (evictionREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return policyv1.SchemeGroupVersion.WithKind("Eviction")
}

// Create deletes a pod.
func (e evictionREST) Create(ctx context.Context, name string, object runtime.Object, _ rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	how := metav1.DeleteOptions{}
	if asked := object.(*policyv1.Eviction).DeleteOptions; asked != nil {
		how = *asked.DeepCopy()
	}
	how.DryRun = append(how.DryRun, options.DryRun...)
	if _, _, err := e.pods.Delete(ctx, name, rest.ValidateAllObjectFunc, &how); err != nil {
		return nil, err
	}
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}
