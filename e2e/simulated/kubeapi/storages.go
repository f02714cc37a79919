package kubeapi

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/store"
)

// newStorages makes what serves each resource and subresource, by the version of its group.
func newStorages() map[schema.GroupVersion]map[string]rest.Storage {
	all := map[schema.GroupVersion]map[string]rest.Storage{}
	add := func(gv schema.GroupVersion, path string, s rest.Storage) {
		if all[gv] == nil {
			all[gv] = map[string]rest.Storage{}
		}
		all[gv][path] = s
	}
	for _, r := range resources() {
		objects := newObjects(r)
		served := storageOf(r, objects)
		add(r.gv, r.name, served)
		if r.status {
			add(r.gv, r.name+"/status", statusREST{objects.subresource(statusStrategy{newStrategy(r)})})
		}
		switch r.name {
		case "events":
			add(eventsv1.SchemeGroupVersion, r.name, served)
		case "services":
			allocating(objects.Store)
		case "namespaces":
			add(r.gv, "namespaces/finalize", finalizeREST{statusREST{objects.subresource(finalizeStrategy{newStrategy(r)})}})
		case "pods":
			add(r.gv, "pods/binding", bindingREST{objects.Store})
			add(r.gv, "pods/eviction", evictionREST{objects.Store})
		case "serviceaccounts":
			add(r.gv, "serviceaccounts/token", tokenREST{objects.Store})
		}
	}
	add(authenticationv1.SchemeGroupVersion, "tokenreviews", tokenReviewREST{})
	add(authenticationv1.SchemeGroupVersion, "selfsubjectreviews", selfReviewREST{})
	add(authorizationv1.SchemeGroupVersion, "subjectaccessreviews", accessReviewREST{})
	add(authorizationv1.SchemeGroupVersion, "selfsubjectaccessreviews", selfAccessReviewREST{})
	return all
}

// storageOf is what serves the resource itself.
func storageOf(r resource, objects objectREST) rest.Storage {
	switch r.gvk() {
	case corev1.SchemeGroupVersion.WithKind("Namespace"):
		objects.ShouldDeleteDuringUpdate = emptied
		return namespaceREST{objects}
	case corev1.SchemeGroupVersion.WithKind("Event"):
		own := eventStrategy{newStrategy(r)}
		objects.CreateStrategy, objects.UpdateStrategy = own, own
		return eventREST{objects}
	}
	return objects
}

// objectREST serves the objects of a resource.
type objectREST struct {
	*registry.Store
	shortNames, categories []string
}

// Categories are the names that people use for several kinds: all is for workloads and Services.
func (o objectREST) Categories() []string { return o.categories }

// ShortNames are the names that people use.
func (o objectREST) ShortNames() []string { return o.shortNames }

func newObjects(r resource) objectREST {
	own := newStrategy(r)
	s := &registry.Store{
		NewFunc: r.newObject, NewListFunc: r.newList,
		DefaultQualifiedResource: r.group(), SingularQualifiedResource: schema.GroupResource{Group: r.gv.Group, Resource: r.singular},
		CreateStrategy: own, UpdateStrategy: own, DeleteStrategy: own,
		ResetFieldsStrategy: own,
		ReturnDeletedObject: r.rules.returnsDeleted,
		TableConvertor:      rest.NewDefaultTableConvertor(r.group()),
	}
	if r.rules.grace != nil {
		s.DeleteStrategy = gracefulStrategy{own}
	}
	attributes := attributesOf(r.gvk())
	s.PredicateFunc = func(label labels.Selector, field fields.Selector) storage.SelectionPredicate {
		return storage.SelectionPredicate{Label: label, Field: field, GetAttrs: attributes}
	}
	utilruntime.Must(s.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options(r), AttrFunc: attributes}))
	var categories []string
	if r.rules.workload || r.kind == "Service" {
		categories = []string{"all"}
	}
	return objectREST{s, r.shortNames, categories}
}

// options let a resource be kept in the store of the server that a request is for.
func options(r resource) generic.RESTOptions {
	config := storagebackend.NewDefaultConfig("", codecs.LegacyCodec(r.gv))
	config.EncodeVersioner = r.gv // discovery shows a hash of it
	return generic.RESTOptions{
		StorageConfig: config.ForResource(r.group()),
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object, func() runtime.Object,
			storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers,
		) (storage.Interface, factory.DestroyFunc, error) {
			return &store.Storage{Resource: r.table(), NewObject: r.newObject}, func() {}, nil
		},
		EnableGarbageCollection: true, DeleteCollectionWorkers: 1, ResourcePrefix: r.table(),
	}
}

// subresource shares the objects, and changes another part of them.
func (o objectREST) subresource(strategy interface {
	rest.RESTUpdateStrategy
	rest.ResetFieldsStrategy
}) *registry.Store {
	part := *o.Store
	part.UpdateStrategy, part.ResetFieldsStrategy = strategy, strategy
	part.BeginCreate, part.BeginUpdate = nil, nil
	return &part
}

// statusREST serves a subresource that is a part of the object.
type statusREST struct{ store *registry.Store }

var _ rest.Patcher = statusREST{}

// New makes an empty object.
func (s statusREST) New() runtime.Object { return s.store.New() }

// Destroy has nothing to do.
func (statusREST) Destroy() {}

// Get returns the object.
func (s statusREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return s.store.Get(ctx, name, options)
}

// GetResetFields are those that are not of the part.
func (s statusREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.store.GetResetFields()
}

// Update changes the part.
func (s statusREST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc,
	updateValidation rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	return s.store.Update(ctx, name, info, createValidation, updateValidation, false, options)
}

// ConvertToTable shows the object.
func (s statusREST) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return s.store.ConvertToTable(ctx, object, options)
}
