package kubeapi

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
)

// podRules are those of Pods: no field of the spec is judged.
var podRules = rules{
	returnsDeleted: true,
	created: func(object runtime.Object) {
		pod := object.(*corev1.Pod)
		pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: corev1.PodQOSBestEffort}
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

// What follows is kept, and no controller looks after it.
var (
	deploymentRules = rules{
		created: func(object runtime.Object) { object.(*appsv1.Deployment).Status = appsv1.DeploymentStatus{} },
		generation: func(object, old runtime.Object) bool {
			return !equality.Semantic.DeepEqual(object.(*appsv1.Deployment).Spec, old.(*appsv1.Deployment).Spec)
		},
	}
	daemonSetRules = rules{
		created: func(object runtime.Object) { object.(*appsv1.DaemonSet).Status = appsv1.DaemonSetStatus{} },
		generation: func(object, old runtime.Object) bool {
			return !equality.Semantic.DeepEqual(object.(*appsv1.DaemonSet).Spec, old.(*appsv1.DaemonSet).Spec)
		},
	}
	replicaSetRules = rules{
		created: func(object runtime.Object) { object.(*appsv1.ReplicaSet).Status = appsv1.ReplicaSetStatus{} },
		generation: func(object, old runtime.Object) bool {
			return !equality.Semantic.DeepEqual(object.(*appsv1.ReplicaSet).Spec, old.(*appsv1.ReplicaSet).Spec)
		},
	}
	statefulSetRules = rules{
		created: func(object runtime.Object) { object.(*appsv1.StatefulSet).Status = appsv1.StatefulSetStatus{} },
		generation: func(object, old runtime.Object) bool {
			return !equality.Semantic.DeepEqual(object.(*appsv1.StatefulSet).Spec, old.(*appsv1.StatefulSet).Spec)
		},
	}
)
