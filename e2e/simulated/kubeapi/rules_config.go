package kubeapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/diff"
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
	validate: func(object runtime.Object) field.ErrorList { return validateSecret(object.(*corev1.Secret)) },
	created:  func(object runtime.Object) { mergeStringData(object.(*corev1.Secret)) },
	updated:  func(object, _ runtime.Object) { mergeStringData(object.(*corev1.Secret)) },
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

// validateSecret judges what two types must have.
func validateSecret(secret *corev1.Secret) (errs field.ErrorList) {
	for _, key := range slices.Sorted(maps.Keys(secret.Data)) {
		for _, wrong := range utilvalidation.IsConfigMapKey(key) {
			errs = append(errs, field.Invalid(field.NewPath("data").Key(key), key, wrong))
		}
	}
	switch secret.Type {
	case corev1.SecretTypeServiceAccountToken:
		if secret.Annotations[corev1.ServiceAccountNameKey] == "" {
			errs = append(errs, field.Required(field.NewPath("metadata", "annotations").Key(corev1.ServiceAccountNameKey), ""))
		}
	case corev1.SecretTypeTLS:
		for _, key := range []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey} {
			if _, there := secret.Data[key]; !there {
				errs = append(errs, field.Required(field.NewPath("data").Key(key), ""))
			}
		}
	default: // of other types, nothing is asked
	}
	return errs
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
		volume.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending, LastPhaseTransitionTime: ptr.To(metav1.Now())}
		addFinalizer(&volume.Finalizers, "kubernetes.io/pv-protection")
	},
	statusUpdated: volumeStatus,
	validate: func(object runtime.Object) field.ErrorList {
		return validateVolume(object.(*corev1.PersistentVolume).Spec)
	},
	validateUpdate: func(object, old runtime.Object) field.ErrorList {
		after, before := object.(*corev1.PersistentVolume).Spec, old.(*corev1.PersistentVolume).Spec
		if !equality.Semantic.DeepEqual(after.PersistentVolumeSource, before.PersistentVolumeSource) {
			return field.ErrorList{field.Forbidden(field.NewPath("spec", "persistentvolumesource"), "spec.persistentvolumesource is immutable after creation\n"+
				diff.Diff(before.PersistentVolumeSource, after.PersistentVolumeSource))}
		}
		return nil
	},
}

// volumeStatus notes when the phase of a PersistentVolume changes.
func volumeStatus(object, old runtime.Object) {
	after, before := object.(*corev1.PersistentVolume), old.(*corev1.PersistentVolume)
	if after.Status.Phase != before.Status.Phase {
		after.Status.LastPhaseTransitionTime = ptr.To(metav1.Now())
	}
}

// validateVolume judges that a PersistentVolume has a size, and one source.
func validateVolume(spec corev1.PersistentVolumeSpec) (errs field.ErrorList) {
	at := field.NewPath("spec")
	if len(spec.Capacity) == 0 {
		errs = append(errs, field.Required(at.Child("capacity"), ""))
	}
	if _, sized := spec.Capacity[corev1.ResourceStorage]; !sized || len(spec.Capacity) > 1 {
		var have any
		if spec.Capacity != nil {
			have = spec.Capacity
		}
		errs = append(errs, field.NotSupported(at.Child("capacity"), have, []corev1.ResourceName{corev1.ResourceStorage}))
	}
	if len(spec.AccessModes) == 0 {
		errs = append(errs, field.Required(at.Child("accessModes"), ""))
	}
	return append(errs, validateVolumeSource(spec.PersistentVolumeSource, at)...)
}

func validateVolumeSource(source corev1.PersistentVolumeSource, at *field.Path) (errs field.ErrorList) {
	var found int
	sources := reflect.ValueOf(source)
	for i := range sources.NumField() {
		if sources.Field(i).IsNil() {
			continue
		}
		if found++; found > 1 {
			name, _, _ := strings.Cut(sources.Type().Field(i).Tag.Get("json"), ",")
			errs = append(errs, field.Forbidden(at.Child(name), "may not specify more than 1 volume type"))
		}
	}
	if found == 0 {
		errs = append(errs, field.Required(at, "must specify a volume type"))
	}
	return errs
}

// validateClaimUpdate refuses changes of what is asked for; the name of the volume is set once.
func validateClaimUpdate(claim, old *corev1.PersistentVolumeClaim) field.ErrorList {
	allowed := claim.Spec.DeepCopy()
	if old.Spec.VolumeName == "" {
		allowed.VolumeName = ""
	}
	if old.Spec.StorageClassName == nil {
		allowed.StorageClassName = nil
	}
	allowed.Resources.Requests, allowed.VolumeAttributesClassName = old.Spec.Resources.Requests, old.Spec.VolumeAttributesClassName
	if equality.Semantic.DeepEqual(*allowed, old.Spec) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec"),
		"spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"+diff.Diff(old.Spec, *allowed))}
}

// roleRules are those of roles and their bindings, whose names may have colons.
var roleRules = rules{
	upserts: true, validName: path.ValidatePathSegmentName,
	validate: func(object runtime.Object) field.ErrorList { return validateRole(object) },
	validateUpdate: func(object, old runtime.Object) field.ErrorList {
		after, before := roleRefOf(object), roleRefOf(old)
		return validation.ValidateImmutableField(after, before, field.NewPath("roleRef"))
	},
}

// roleRefOf is the role of a binding; empty for a role.
func roleRefOf(object runtime.Object) rbacv1.RoleRef {
	switch binding := object.(type) {
	case *rbacv1.RoleBinding:
		return binding.RoleRef
	case *rbacv1.ClusterRoleBinding:
		return binding.RoleRef
	}
	return rbacv1.RoleRef{}
}

// validateRole judges that each rule of a role has verbs.
func validateRole(object runtime.Object) (errs field.ErrorList) {
	var rules []rbacv1.PolicyRule
	switch role := object.(type) {
	case *rbacv1.Role:
		rules = role.Rules
	case *rbacv1.ClusterRole:
		rules = role.Rules
	}
	for i, rule := range rules {
		if len(rule.Verbs) == 0 {
			errs = append(errs, field.Required(field.NewPath("rules").Index(i).Child("verbs"), ""))
		}
	}
	return errs
}

// defaultBinding sets the groups that a binding leaves out.
func defaultBinding(ref *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	setDefault(&ref.APIGroup, rbacv1.GroupName)
	for i := range subjects {
		if subjects[i].Kind == rbacv1.UserKind || subjects[i].Kind == rbacv1.GroupKind {
			setDefault(&subjects[i].APIGroup, rbacv1.GroupName)
		}
	}
}

// claimRules are those of PersistentVolumeClaims.
var claimRules = rules{
	returnsDeleted: true,
	created: func(object runtime.Object) {
		claim := object.(*corev1.PersistentVolumeClaim)
		claim.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
		addFinalizer(&claim.Finalizers, "kubernetes.io/pvc-protection")
	},
	validateUpdate: func(object, old runtime.Object) field.ErrorList {
		return validateClaimUpdate(object.(*corev1.PersistentVolumeClaim), old.(*corev1.PersistentVolumeClaim))
	},
}

// addFinalizer adds what the admission plugin StorageObjectInUseProtection does.
func addFinalizer(finalizers *[]string, name string) {
	if !slices.Contains(*finalizers, name) {
		*finalizers = append(*finalizers, name)
	}
}
