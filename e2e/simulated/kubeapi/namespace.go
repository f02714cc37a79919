package kubeapi

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// namespaceREST serves Namespaces: one that is deleted is only marked, until what is in it is gone.
// They cannot be deleted all at once, so that it has the methods of a store but that.
type namespaceREST struct{ objects objectREST }

var (
	_ rest.StandardStorage = struct {
		namespaceREST
		rest.CollectionDeleter
	}{}
	_ rest.ShortNamesProvider   = namespaceREST{}
	_ rest.SingularNameProvider = namespaceREST{}
	_ rest.Scoper               = namespaceREST{}
	_ rest.ResetFieldsStrategy  = namespaceREST{}
)

// New makes an empty Namespace.
func (n namespaceREST) New() runtime.Object { return n.objects.New() }

// NewList makes an empty list.
func (n namespaceREST) NewList() runtime.Object { return n.objects.NewList() }

// Destroy has nothing to do.
func (namespaceREST) Destroy() {}

// NamespaceScoped reports that Namespaces are in none.
func (namespaceREST) NamespaceScoped() bool { return false }

// GetSingularName is the name of one.
func (n namespaceREST) GetSingularName() string { return n.objects.GetSingularName() }

// ShortNames are the names that people use.
func (n namespaceREST) ShortNames() []string { return n.objects.ShortNames() }

// StorageVersion is the version in which they are kept.
func (n namespaceREST) StorageVersion() runtime.GroupVersioner { return n.objects.StorageVersion() }

// GetResetFields are those that the resource itself does not write.
func (n namespaceREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return n.objects.GetResetFields()
}

// Get returns a Namespace.
func (n namespaceREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return n.objects.Get(ctx, name, options)
}

// List returns those that the options select.
func (n namespaceREST) List(ctx context.Context, options *internalversion.ListOptions) (runtime.Object, error) {
	return n.objects.List(ctx, options)
}

// Watch follows those that the options select.
func (n namespaceREST) Watch(ctx context.Context, options *internalversion.ListOptions) (watch.Interface, error) {
	return n.objects.Watch(ctx, options)
}

// Create adds a Namespace.
func (n namespaceREST) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	return n.objects.Create(ctx, object, validate, options)
}

// Update changes a Namespace.
func (n namespaceREST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc,
	updateValidation rest.ValidateObjectUpdateFunc, force bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	return n.objects.Update(ctx, name, info, createValidation, updateValidation, force, options)
}

// ConvertToTable shows Namespaces.
func (n namespaceREST) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return n.objects.ConvertToTable(ctx, object, options)
}

// finalizeStrategy is that of the subresource finalize, which changes the finalizers of the spec.
type finalizeStrategy struct{ strategy }

// PrepareForUpdate keeps the status.
func (finalizeStrategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	keep("Status", object, old)
	labelNamespace(object.(*corev1.Namespace))
}

// finalizeREST serves that subresource, which is updated and not read.
type finalizeREST struct{ part statusREST }

var _ rest.Updater = finalizeREST{}

// New makes an empty Namespace.
func (f finalizeREST) New() runtime.Object { return f.part.New() }

// Destroy has nothing to do.
func (finalizeREST) Destroy() {}

// GetResetFields are those that are not of the part.
func (f finalizeREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return f.part.GetResetFields()
}

// Update changes the finalizers.
func (f finalizeREST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc,
	updateValidation rest.ValidateObjectUpdateFunc, force bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	return f.part.Update(ctx, name, info, createValidation, updateValidation, force, options)
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
	return n.objects.Delete(ctx, name, validate, options)
}

func preconditionsOf(options *metav1.DeleteOptions) *storage.Preconditions {
	if options == nil || options.Preconditions == nil {
		return nil
	}
	return &storage.Preconditions{UID: options.Preconditions.UID, ResourceVersion: options.Preconditions.ResourceVersion}
}

// mark sets the time of the deletion and the phase.
func (n namespaceREST) mark(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, error) {
	key, err := n.objects.KeyFunc(ctx, name)
	if err != nil {
		return nil, err
	}
	marked := &corev1.Namespace{}
	err = n.objects.Storage.GuaranteedUpdate(ctx, key, marked, false, preconditionsOf(options),
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
	return marked, err
}
