package kubeapi

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// addWorkloadDefaults sets what a workload leaves out of how it is run.
func addWorkloadDefaults(s *runtime.Scheme) {
	s.AddTypeDefaultingFunc(&appsv1.Deployment{}, func(o any) { defaultDeployment(&o.(*appsv1.Deployment).Spec) })
	s.AddTypeDefaultingFunc(&appsv1.ReplicaSet{}, func(o any) { defaultPointer(&o.(*appsv1.ReplicaSet).Spec.Replicas, 1) })
	s.AddTypeDefaultingFunc(&appsv1.DaemonSet{}, func(o any) { defaultDaemonSet(&o.(*appsv1.DaemonSet).Spec) })
	s.AddTypeDefaultingFunc(&appsv1.StatefulSet{}, func(o any) { defaultStatefulSet(&o.(*appsv1.StatefulSet).Spec) })
}

func defaultDeployment(spec *appsv1.DeploymentSpec) {
	defaultPointer(&spec.Replicas, 1)
	setDefault(&spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
		return
	}
	defaultPointer(&spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
	defaultPointer(&spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	defaultPointer(&spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
}

func defaultDaemonSet(spec *appsv1.DaemonSetSpec) {
	setDefault(&spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
	if spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return
	}
	defaultPointer(&spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
	defaultPointer(&spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	defaultPointer(&spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
}

func defaultStatefulSet(spec *appsv1.StatefulSetSpec) {
	defaultPointer(&spec.Replicas, 1)
	setDefault(&spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	setDefault(&spec.UpdateStrategy.Type, appsv1.RollingUpdateStatefulSetStrategyType)
	if spec.UpdateStrategy.Type != appsv1.RollingUpdateStatefulSetStrategyType {
		return
	}
	defaultPointer(&spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
	defaultPointer(&spec.UpdateStrategy.RollingUpdate.Partition, 0)
	defaultPointer(&spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
}
