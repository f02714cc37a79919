package kubeapi

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// podRules are those of Pods: of the spec, containers are judged by their names alone.
var podRules = rules{
	workload: true, returnsDeleted: true,
	created: func(object runtime.Object) {
		pod := object.(*corev1.Pod)
		pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: corev1.PodQOSBestEffort}
		defaultPointer(&pod.Spec.Priority, 0)
		tolerate(pod, corev1.TaintNodeNotReady)
		tolerate(pod, corev1.TaintNodeUnreachable)
	},
	validate: func(object runtime.Object) field.ErrorList { return validatePod(object.(*corev1.Pod).Spec) },
	validateUpdate: func(object, old runtime.Object) field.ErrorList {
		return validatePodUpdate(object.(*corev1.Pod), old.(*corev1.Pod))
	},
	generation: func(object, old runtime.Object) bool {
		return !equality.Semantic.DeepEqual(object.(*corev1.Pod).Spec, old.(*corev1.Pod).Spec)
	},
	grace: func(object runtime.Object) int64 {
		pod := object.(*corev1.Pod)
		if pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
			return 0
		}
		if seconds := pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
			return *seconds
		}
		return corev1.DefaultTerminationGracePeriodSeconds
	},
}

// tolerate adds what the admission plugin DefaultTolerationSeconds does.
func tolerate(pod *corev1.Pod, taint string) {
	const seconds = 300
	for _, t := range pod.Spec.Tolerations {
		if (t.Key == taint || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "") {
			return
		}
	}
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
		Key: taint, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](seconds),
	})
}

func validatePod(spec corev1.PodSpec) (errs field.ErrorList) {
	at := field.NewPath("spec", "containers")
	if len(spec.Containers) == 0 {
		errs = append(errs, field.Required(at, ""))
	}
	for i, container := range spec.Containers {
		if container.Name == "" {
			errs = append(errs, field.Required(at.Index(i).Child("name"), ""))
		}
	}
	return errs
}

// validatePodUpdate refuses changes of most of the spec.
func validatePodUpdate(pod, old *corev1.Pod) field.ErrorList {
	allowed := pod.Spec.DeepCopy()
	for i := range allowed.Containers {
		if i < len(old.Spec.Containers) {
			allowed.Containers[i].Image = old.Spec.Containers[i].Image
		}
	}
	for i := range allowed.InitContainers {
		if i < len(old.Spec.InitContainers) {
			allowed.InitContainers[i].Image = old.Spec.InitContainers[i].Image
		}
	}
	allowed.ActiveDeadlineSeconds, allowed.Tolerations = old.Spec.ActiveDeadlineSeconds, old.Spec.Tolerations
	allowed.TerminationGracePeriodSeconds = old.Spec.TerminationGracePeriodSeconds
	allowed.SchedulingGates = old.Spec.SchedulingGates
	if equality.Semantic.DeepEqual(*allowed, old.Spec) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec"), "pod updates may not change fields other than `spec.containers[*].image`,"+
		"`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"+
		"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"+diff.Diff(old.Spec, *allowed))}
}

// What follows is kept, and no controller looks after it.
var (
	deploymentRules = rules{
		workload: true,
		validate: func(object runtime.Object) field.ErrorList {
			spec := object.(*appsv1.Deployment).Spec
			return validateSelector(spec.Selector, spec.Template.Labels)
		},
		validateUpdate: func(object, old runtime.Object) field.ErrorList {
			return selectorStays(object.(*appsv1.Deployment).Spec.Selector, old.(*appsv1.Deployment).Spec.Selector)
		},
		created: func(object runtime.Object) { object.(*appsv1.Deployment).Status = appsv1.DeploymentStatus{} },
		generation: func(object, old runtime.Object) bool {
			return !equality.Semantic.DeepEqual(object.(*appsv1.Deployment).Spec, old.(*appsv1.Deployment).Spec)
		},
	}
	daemonSetRules = rules{
		workload: true,
		validate: func(object runtime.Object) field.ErrorList {
			spec := object.(*appsv1.DaemonSet).Spec
			return validateSelector(spec.Selector, spec.Template.Labels)
		},
		validateUpdate: func(object, old runtime.Object) field.ErrorList {
			return selectorStays(object.(*appsv1.DaemonSet).Spec.Selector, old.(*appsv1.DaemonSet).Spec.Selector)
		},
		created: func(object runtime.Object) { object.(*appsv1.DaemonSet).Status = appsv1.DaemonSetStatus{} },
		generation: func(object, old runtime.Object) bool {
			return !equality.Semantic.DeepEqual(object.(*appsv1.DaemonSet).Spec, old.(*appsv1.DaemonSet).Spec)
		},
	}
	replicaSetRules = rules{
		workload: true,
		validate: func(object runtime.Object) field.ErrorList {
			spec := object.(*appsv1.ReplicaSet).Spec
			return validateSelector(spec.Selector, spec.Template.Labels)
		},
		validateUpdate: func(object, old runtime.Object) field.ErrorList {
			return selectorStays(object.(*appsv1.ReplicaSet).Spec.Selector, old.(*appsv1.ReplicaSet).Spec.Selector)
		},
		created: func(object runtime.Object) { object.(*appsv1.ReplicaSet).Status = appsv1.ReplicaSetStatus{} },
		generation: func(object, old runtime.Object) bool {
			return !equality.Semantic.DeepEqual(object.(*appsv1.ReplicaSet).Spec, old.(*appsv1.ReplicaSet).Spec)
		},
	}
	statefulSetRules = rules{
		workload: true,
		validate: func(object runtime.Object) field.ErrorList {
			spec := object.(*appsv1.StatefulSet).Spec
			return validateSelector(spec.Selector, spec.Template.Labels)
		},
		validateUpdate: func(object, old runtime.Object) field.ErrorList {
			return selectorStays(object.(*appsv1.StatefulSet).Spec.Selector, old.(*appsv1.StatefulSet).Spec.Selector)
		},
		created: func(object runtime.Object) { object.(*appsv1.StatefulSet).Status = appsv1.StatefulSetStatus{} },
		generation: func(object, old runtime.Object) bool {
			return !equality.Semantic.DeepEqual(object.(*appsv1.StatefulSet).Spec, old.(*appsv1.StatefulSet).Spec)
		},
	}
)

// validateSelector judges that a workload selects its own pods.
func validateSelector(selector *metav1.LabelSelector, of map[string]string) field.ErrorList {
	if selector == nil {
		return field.ErrorList{field.Required(field.NewPath("spec", "selector"), "")}
	}
	selects, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("spec", "selector"), selector, err.Error())}
	}
	if !selects.Matches(labels.Set(of)) {
		return field.ErrorList{field.Invalid(field.NewPath("spec", "template", "metadata", "labels"), of, "`selector` does not match template `labels`")}
	}
	return nil
}

func selectorStays(after, before *metav1.LabelSelector) field.ErrorList {
	return validation.ValidateImmutableField(after, before, field.NewPath("spec", "selector"))
}
