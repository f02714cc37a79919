package kubeapi

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// namespaceRules are those of Namespaces: one that is deleted stays until its finalizers are gone.
var namespaceRules = rules{
	validName: validation.ValidateNamespaceName,
	created: func(object runtime.Object) {
		namespace := object.(*corev1.Namespace)
		namespace.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
		if !slices.Contains(namespace.Spec.Finalizers, corev1.FinalizerKubernetes) {
			namespace.Spec.Finalizers = append(namespace.Spec.Finalizers, corev1.FinalizerKubernetes)
		}
		labelNamespace(namespace)
	},
	updated: func(object, old runtime.Object) {
		object.(*corev1.Namespace).Spec.Finalizers = old.(*corev1.Namespace).Spec.Finalizers
		labelNamespace(object.(*corev1.Namespace))
	},
}

// labelNamespace adds the label that selectors find a namespace by.
func labelNamespace(namespace *corev1.Namespace) {
	if namespace.Labels == nil {
		namespace.Labels = map[string]string{}
	}
	namespace.Labels[corev1.LabelMetadataName] = namespace.Name
}

const immutable = "field is immutable when `immutable` is set"

// configMapRules are those of ConfigMaps.
var configMapRules = rules{
	validate: func(object runtime.Object) field.ErrorList { return validateConfigMap(object.(*corev1.ConfigMap)) },
	validateUpdate: func(object, old runtime.Object) (errs field.ErrorList) {
		after, before := object.(*corev1.ConfigMap), old.(*corev1.ConfigMap)
		if !ptr.Deref(before.Immutable, false) {
			return nil
		}
		if !ptr.Deref(after.Immutable, false) {
			errs = append(errs, field.Forbidden(field.NewPath("immutable"), immutable))
		}
		if !equality.Semantic.DeepEqual(after.Data, before.Data) {
			errs = append(errs, field.Forbidden(field.NewPath("data"), immutable))
		}
		if !equality.Semantic.DeepEqual(after.BinaryData, before.BinaryData) {
			errs = append(errs, field.Forbidden(field.NewPath("binaryData"), immutable))
		}
		return errs
	},
}

// validateConfigMap judges the keys.
func validateConfigMap(config *corev1.ConfigMap) (errs field.ErrorList) {
	for _, key := range slices.Sorted(maps.Keys(config.Data)) {
		at := field.NewPath("data").Key(key)
		for _, wrong := range utilvalidation.IsConfigMapKey(key) {
			errs = append(errs, field.Invalid(at, key, wrong))
		}
		if _, both := config.BinaryData[key]; both {
			errs = append(errs, field.Invalid(at, key, "duplicate of key present in binaryData"))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(config.BinaryData)) {
		for _, wrong := range utilvalidation.IsConfigMapKey(key) {
			errs = append(errs, field.Invalid(field.NewPath("binaryData").Key(key), key, wrong))
		}
	}
	return errs
}

// secretRules are those of Secrets.
var secretRules = rules{
	created: func(object runtime.Object) { mergeStringData(object.(*corev1.Secret)) },
	updated: func(object, _ runtime.Object) { mergeStringData(object.(*corev1.Secret)) },
	validateUpdate: func(object, old runtime.Object) (errs field.ErrorList) {
		after, before := object.(*corev1.Secret), old.(*corev1.Secret)
		errs = append(errs, validation.ValidateImmutableField(after.Type, before.Type, field.NewPath("type"))...)
		if !ptr.Deref(before.Immutable, false) {
			return errs
		}
		if !ptr.Deref(after.Immutable, false) {
			errs = append(errs, field.Forbidden(field.NewPath("immutable"), immutable))
		}
		if !equality.Semantic.DeepEqual(after.Data, before.Data) {
			errs = append(errs, field.Forbidden(field.NewPath("data"), immutable))
		}
		return errs
	},
}

// mergeStringData moves what was written as text to the data.
func mergeStringData(secret *corev1.Secret) {
	for key, value := range secret.StringData {
		if secret.Data == nil {
			secret.Data = map[string][]byte{}
		}
		secret.Data[key] = []byte(value)
	}
	secret.StringData = nil
}

// volumeRules are those of PersistentVolumes.
var volumeRules = rules{
	returnsDeleted: true,
	created: func(object runtime.Object) {
		volume := object.(*corev1.PersistentVolume)
		volume.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending}
		addFinalizer(&volume.Finalizers, "kubernetes.io/pv-protection")
	},
	validateUpdate: func(object, old runtime.Object) field.ErrorList {
		after, before := object.(*corev1.PersistentVolume).Spec, old.(*corev1.PersistentVolume).Spec
		if !equality.Semantic.DeepEqual(after.PersistentVolumeSource, before.PersistentVolumeSource) {
			return field.ErrorList{field.Forbidden(field.NewPath("spec", "persistentvolumesource"), "spec.persistentvolumesource is immutable after creation")}
		}
		return nil
	},
}

// roleRules are those of roles and their bindings, whose names may have colons.
var roleRules = rules{upserts: true, validName: path.ValidatePathSegmentName}

// claimRules are those of PersistentVolumeClaims.
var claimRules = rules{
	returnsDeleted: true,
	created: func(object runtime.Object) {
		claim := object.(*corev1.PersistentVolumeClaim)
		claim.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
		addFinalizer(&claim.Finalizers, "kubernetes.io/pvc-protection")
	},
}

// addFinalizer adds what the admission plugin StorageObjectInUseProtection does.
func addFinalizer(finalizers *[]string, name string) {
	if !slices.Contains(*finalizers, name) {
		*finalizers = append(*finalizers, name)
	}
}
