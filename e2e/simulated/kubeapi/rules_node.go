package kubeapi

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// nodeRules are those of Nodes (pkg/registry/core/node of Kubernetes).
var nodeRules = rules{
	created:        taintNewNode,
	validate:       validateNode,
	validateUpdate: validateNodeUpdate,
}

// taintNewNode adds what the admission plugin TaintNodesByCondition does.
func taintNewNode(object runtime.Object) {
	node := object.(*corev1.Node)
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeNotReady && taint.Effect == corev1.TaintEffectNoSchedule {
			return
		}
	}
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule})
}

func validateNode(object runtime.Object) field.ErrorList {
	return validateTaints(object.(*corev1.Node).Spec.Taints, field.NewPath("spec", "taints"))
}

func validateTaints(taints []corev1.Taint, at *field.Path) (errs field.ErrorList) {
	unique := map[corev1.TaintEffect]map[string]bool{}
	for i, taint := range taints {
		at := at.Index(i)
		for _, wrong := range validation.IsQualifiedName(taint.Key) {
			errs = append(errs, field.Invalid(at.Child("key"), taint.Key, wrong))
		}
		for _, wrong := range validation.IsValidLabelValue(taint.Value) {
			errs = append(errs, field.Invalid(at.Child("value"), taint.Value, wrong))
		}
		switch taint.Effect {
		case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
		case "":
			errs = append(errs, field.Required(at.Child("effect"), ""))
		default:
			errs = append(errs, field.NotSupported(at.Child("effect"), taint.Effect, []corev1.TaintEffect{
				corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute,
			}))
		}
		if unique[taint.Effect][taint.Key] {
			duplicate := field.Duplicate(at, taint)
			duplicate.Detail = "taints must be unique by key and effect pair"
			errs = append(errs, duplicate)
			continue
		}
		if unique[taint.Effect] == nil {
			unique[taint.Effect] = map[string]bool{}
		}
		unique[taint.Effect][taint.Key] = true
	}
	return errs
}

func validateNodeUpdate(object, old runtime.Object) (errs field.ErrorList) {
	spec, before := object.(*corev1.Node).Spec, old.(*corev1.Node).Spec
	if len(before.PodCIDRs) > 0 && !equality.Semantic.DeepEqual(spec.PodCIDRs, before.PodCIDRs) {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "podCIDRs"), "node updates may not change podCIDR except from \"\" to valid"))
	}
	if before.ProviderID != "" && spec.ProviderID != before.ProviderID {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "providerID"), "node updates may not change providerID except from \"\" to valid"))
	}
	addresses := map[corev1.NodeAddress]bool{}
	for i, address := range object.(*corev1.Node).Status.Addresses {
		if addresses[address] {
			errs = append(errs, field.Duplicate(field.NewPath("status", "addresses").Index(i), fmt.Sprint(address)))
		}
		addresses[address] = true
	}
	return errs
}
