package kubeapi

import (
	"context"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// rules are what differs between kinds. A nil function changes, or refuses, nothing.
type rules struct {
	// upserts is whether an update creates what is not there.
	upserts bool
	// conditional is whether an update needs a resource version.
	conditional bool
	// workload is whether the kind runs something.
	workload bool
	// returnsDeleted is whether a deletion is answered with the object.
	returnsDeleted bool
	// created brings a new object into the shape in which it is kept.
	created func(object runtime.Object)
	// updated does so with a changed one: what may not be changed is as it was.
	updated func(object, old runtime.Object)
	// statusUpdated does so with one whose status has changed.
	statusUpdated func(object, old runtime.Object)
	// generation reports whether an update is a new generation; nil for kinds without generations.
	generation func(object, old runtime.Object) bool
	// validate judges a new object, validateUpdate a changed one, validateStatus one whose status has changed.
	validate       func(object runtime.Object) field.ErrorList
	validateUpdate func(object, old runtime.Object) field.ErrorList
	validateStatus func(object, old runtime.Object) field.ErrorList
	// warnings are for the client whose object is accepted.
	warnings func(object runtime.Object) []string
	// validName judges names; nil is that they are DNS subdomains.
	validName validation.ValidateNameFunc
	// grace is how long an object is left after its deletion, for a kind that has time to end; nil for none.
	grace func(object runtime.Object) (seconds int64)
}

// strategy is how objects of a kind are created, updated and deleted.
type strategy struct {
	resource
	runtime.ObjectTyper
	names.NameGenerator
}

var (
	_ rest.RESTCreateStrategy = strategy{}
	_ rest.RESTUpdateStrategy = strategy{}
)

func newStrategy(r resource) strategy { return strategy{r, scheme, names.SimpleNameGenerator} }

// NamespaceScoped reports whether objects are in namespaces.
func (s strategy) NamespaceScoped() bool { return !s.cluster }

// PrepareForCreate brings a new object into the shape in which it is kept.
func (s strategy) PrepareForCreate(ctx context.Context, object runtime.Object) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetUID(stateOf(ctx).nextUID())
		if s.rules.generation != nil {
			accessor.SetGeneration(1)
		}
	}
	if s.rules.created != nil {
		s.rules.created(object)
	}
}

// Validate judges a new object.
func (s strategy) Validate(_ context.Context, object runtime.Object) field.ErrorList {
	errs := s.validateMeta(object)
	if s.rules.validate != nil {
		errs = append(errs, s.rules.validate(object)...)
	}
	return errs
}

// WarningsOnCreate are those of the kind.
func (s strategy) WarningsOnCreate(_ context.Context, object runtime.Object) []string {
	if s.rules.warnings == nil {
		return nil
	}
	return s.rules.warnings(object)
}

// Canonicalize changes nothing.
func (strategy) Canonicalize(runtime.Object) {}

// AllowCreateOnUpdate reports whether an update creates what is not there.
func (s strategy) AllowCreateOnUpdate(context.Context) bool { return s.rules.upserts }

// AllowUnconditionalUpdate reports whether an update needs no resource version.
func (s strategy) AllowUnconditionalUpdate(context.Context) bool { return !s.rules.conditional }

// PrepareForUpdate keeps what an update may not change.
func (s strategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	if s.status {
		keep("Status", object, old)
	}
	if s.rules.updated != nil {
		s.rules.updated(object, old)
	}
	if s.rules.generation != nil && s.rules.generation(object, old) {
		if accessor, err := meta.Accessor(object); err == nil {
			accessor.SetGeneration(accessor.GetGeneration() + 1)
		}
	}
}

// ValidateUpdate judges a changed object.
func (s strategy) ValidateUpdate(_ context.Context, object, old runtime.Object) field.ErrorList {
	var errs field.ErrorList // the library judges the metadata
	if s.rules.validate != nil {
		errs = append(errs, s.rules.validate(object)...)
	}
	if s.rules.validateUpdate != nil {
		errs = append(errs, s.rules.validateUpdate(object, old)...)
	}
	return errs
}

// WarningsOnUpdate are those of the kind.
func (s strategy) WarningsOnUpdate(ctx context.Context, object, _ runtime.Object) []string {
	return s.WarningsOnCreate(ctx, object)
}

// gracefulStrategy is that of a kind whose objects have time to end.
type gracefulStrategy struct{ strategy }

var _ rest.RESTGracefulDeleteStrategy = gracefulStrategy{}

// CheckGracefulDelete sets how long an object is left.
func (s gracefulStrategy) CheckGracefulDelete(_ context.Context, object runtime.Object, options *metav1.DeleteOptions) bool {
	if options == nil {
		return false
	}
	if options.GracePeriodSeconds == nil {
		seconds := s.rules.grace(object)
		options.GracePeriodSeconds = &seconds
	} else if *options.GracePeriodSeconds > 0 && s.rules.grace(object) == 0 {
		*options.GracePeriodSeconds = 0
	}
	return true
}

// statusStrategy is that of the subresource status.
type statusStrategy struct{ strategy }

// PrepareForUpdate keeps the spec.
func (s statusStrategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	keep("Spec", object, old)
	if s.rules.statusUpdated != nil {
		s.rules.statusUpdated(object, old)
	}
}

// keep sets a field of an object to what it was.
func keep(name string, object, old runtime.Object) {
	reflect.ValueOf(object).Elem().FieldByName(name).Set(reflect.ValueOf(old).Elem().FieldByName(name))
}

func (s strategy) validateMeta(object runtime.Object) field.ErrorList {
	validName := s.rules.validName
	if validName == nil {
		validName = validation.NameIsDNSSubdomain
	}
	metadata := metaOf(object)
	errs := validation.ValidateObjectMeta(metadata, !s.cluster, validName, field.NewPath("metadata"))
	for i, name := range metadata.Finalizers {
		if !strings.Contains(name, "/") && !slices.Contains(standardFinalizers, name) {
			errs = append(errs, field.Invalid(field.NewPath("metadata", "finalizers").Index(i), name,
				"name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

// standardFinalizers are those that need no domain.
var standardFinalizers = []string{string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}

// metaOf is the metadata of an object of any kind that is served.
func metaOf(object runtime.Object) *metav1.ObjectMeta {
	return object.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
}

// ValidateUpdate judges the status.
func (s statusStrategy) ValidateUpdate(_ context.Context, object, old runtime.Object) field.ErrorList {
	if s.rules.validateStatus != nil {
		return s.rules.validateStatus(object, old)
	}
	return nil
}

// GetResetFields are those that the resource itself does not write: see server-side apply.
func (s strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	if !s.status {
		return nil
	}
	return map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(s.gv.String()): fieldpath.NewSet(fieldpath.MakePathOrDie("status"))}
}

// GetResetFields are those that the subresource does not write.
func (s statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(s.gv.String()): fieldpath.NewSet(fieldpath.MakePathOrDie("spec"))}
}
