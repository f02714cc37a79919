package kubeapi

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
)

// namespaceREST serves Namespaces: one that is deleted is only marked, until what is in it is gone.
type namespaceREST struct{ objectREST }

// finalizeStrategy is that of the subresource finalize, which changes the finalizers of the spec.
type finalizeStrategy struct{ strategy }

// PrepareForUpdate keeps the status.
func (finalizeStrategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	keep("Status", object, old)
}

// emptied reports whether nothing keeps a Namespace any more.
func emptied(_ context.Context, _ string, object, _ runtime.Object) bool {
	namespace := object.(*corev1.Namespace)
	return namespace.DeletionTimestamp != nil && len(namespace.Spec.Finalizers) == 0 && len(namespace.Finalizers) == 0
}

// Delete marks a Namespace, and deletes it once it has no finalizers.
func (n namespaceREST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	found, err := n.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, false, err
	}
	namespace := found.(*corev1.Namespace)
	if err := preconditionsOf(options).Check(name, namespace); err != nil {
		return nil, false, apierrors.NewConflict(corev1.Resource("namespaces"), name, err)
	}
	if namespace.DeletionTimestamp == nil {
		marked, err := n.mark(ctx, name, validate, options)
		return marked, false, err
	}
	if len(namespace.Spec.Finalizers) > 0 {
		return namespace, false, nil
	}
	return n.Store.Delete(ctx, name, validate, options)
}

func preconditionsOf(options *metav1.DeleteOptions) *storage.Preconditions {
	if options == nil || options.Preconditions == nil {
		return nil
	}
	return &storage.Preconditions{UID: options.Preconditions.UID, ResourceVersion: options.Preconditions.ResourceVersion}
}

// mark sets the time of the deletion and the phase.
func (n namespaceREST) mark(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, error) {
	key, err := n.KeyFunc(ctx, name)
	if err != nil {
		return nil, err
	}
	marked := &corev1.Namespace{}
	err = n.Storage.GuaranteedUpdate(ctx, key, marked, false, preconditionsOf(options),
		storage.SimpleUpdate(func(found runtime.Object) (runtime.Object, error) {
			if err := validate(ctx, found); err != nil {
				return nil, err
			}
			namespace := found.(*corev1.Namespace)
			if namespace.DeletionTimestamp == nil {
				now := metav1.Now()
				namespace.DeletionTimestamp = &now
			}
			namespace.Status.Phase = corev1.NamespaceTerminating
			return namespace, nil
		}), len(options.DryRun) > 0, nil)
	if err != nil {
		return nil, fmt.Errorf("delete the namespace %s: %w", name, err)
	}
	return marked, nil
}
