package kubeapi

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// nodeRules are those of Nodes (pkg/registry/core/node of Kubernetes).
var nodeRules = rules{
	created: func(object runtime.Object) {
		node := object.(*corev1.Node)
		node.Spec.ConfigSource = nil
		taintNewNode(node)
	},
	updated: func(object, old runtime.Object) {
		object.(*corev1.Node).Spec.ConfigSource = old.(*corev1.Node).Spec.ConfigSource
	},
	validate:       validateNode,
	validateUpdate: validateNodeUpdate,
	validateStatus: validateNodeUpdate,
	warnings: func(object runtime.Object) []string {
		if object.(*corev1.Node).Spec.DoNotUseExternalID != "" {
			return []string{"spec.externalID: this field is deprecated, and is unused by Kubernetes"}
		}
		return nil
	},
}

// taintNewNode adds what the admission plugin TaintNodesByCondition does.
func taintNewNode(node *corev1.Node) {
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeNotReady && taint.Effect == corev1.TaintEffectNoSchedule {
			return
		}
	}
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule})
}

func validateNode(object runtime.Object) field.ErrorList {
	spec := object.(*corev1.Node).Spec
	errs := validateTaints(spec.Taints, field.NewPath("metadata", "taints")) // so the real server names them
	return append(errs, validatePodCIDRs(spec.PodCIDRs, field.NewPath("spec", "podCIDRs"))...)
}

// validatePodCIDRs allows one range of each family.
func validatePodCIDRs(ranges []string, at *field.Path) (errs field.ErrorList) {
	families := map[corev1.IPFamily]int{}
	for i, text := range ranges {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			errs = append(errs, field.Invalid(at.Index(i), text, badRange))
			continue
		}
		families[familyOf(prefix)]++
	}
	if families[corev1.IPv4Protocol] > 1 || families[corev1.IPv6Protocol] > 1 {
		errs = append(errs, field.Invalid(at, ranges, "may specify no more than one CIDR for each IP family"))
	}
	return errs
}

// defaultNode makes podCIDR the first of podCIDRs, and the allocatable resources those that the machine has.
func defaultNode(node *corev1.Node) {
	spec := &node.Spec
	switch {
	case spec.PodCIDR == "" && len(spec.PodCIDRs) > 0:
		spec.PodCIDR = spec.PodCIDRs[0]
	case spec.PodCIDR != "" && (len(spec.PodCIDRs) == 0 || spec.PodCIDRs[0] != spec.PodCIDR):
		spec.PodCIDRs = []string{spec.PodCIDR}
	}
	if node.Status.Allocatable == nil && node.Status.Capacity != nil {
		node.Status.Allocatable = node.Status.Capacity.DeepCopy()
	}
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
	switch {
	case before.ProviderID == "" || spec.ProviderID == before.ProviderID:
	case spec.ProviderID == "":
		errs = append(errs, field.Invalid(field.NewPath("spec", "providerID"), nil, "field cannot be cleared once set"))
	default:
		errs = append(errs, field.Invalid(field.NewPath("spec", "providerID"), nil, "field cannot be modified once set"))
	}
	if spec.DoNotUseExternalID != before.DoNotUseExternalID {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "externalID"), "may not be updated"))
	}
	addresses := map[corev1.NodeAddress]bool{}
	for i, address := range object.(*corev1.Node).Status.Addresses {
		if addresses[address] {
			errs = append(errs, field.Duplicate(field.NewPath("status", "addresses").Index(i), address))
		}
		addresses[address] = true
	}
	return errs
}
