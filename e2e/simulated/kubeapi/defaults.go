package kubeapi

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// addDefaults sets fields that a request leaves out (pkg/apis/core/v1/defaults.go of Kubernetes), of the kinds that CCMs look at.
func addDefaults(s *runtime.Scheme) {
	s.AddTypeDefaultingFunc(&corev1.Service{}, func(o any) { defaultService(o.(*corev1.Service)) })
	s.AddTypeDefaultingFunc(&corev1.Node{}, func(o any) { defaultNode(o.(*corev1.Node)) })
	s.AddTypeDefaultingFunc(&corev1.Endpoints{}, func(o any) { defaultEndpoints(o.(*corev1.Endpoints)) })
	s.AddTypeDefaultingFunc(&discoveryv1.EndpointSlice{}, func(o any) { defaultSlice(o.(*discoveryv1.EndpointSlice)) })
	s.AddTypeDefaultingFunc(&corev1.Pod{}, func(o any) { defaultPod(o.(*corev1.Pod)) })
	s.AddTypeDefaultingFunc(&corev1.Secret{}, func(o any) { setDefault(&o.(*corev1.Secret).Type, corev1.SecretTypeOpaque) })
	s.AddTypeDefaultingFunc(&corev1.PersistentVolume{}, func(o any) {
		volume := o.(*corev1.PersistentVolume)
		setDefault(&volume.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
		defaultPointer(&volume.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		if path := volume.Spec.HostPath; path != nil {
			defaultPointer(&path.Type, corev1.HostPathUnset)
		}
	})
	s.AddTypeDefaultingFunc(&rbacv1.RoleBinding{}, func(o any) {
		binding := o.(*rbacv1.RoleBinding)
		defaultBinding(&binding.RoleRef, binding.Subjects)
	})
	s.AddTypeDefaultingFunc(&rbacv1.ClusterRoleBinding{}, func(o any) {
		binding := o.(*rbacv1.ClusterRoleBinding)
		defaultBinding(&binding.RoleRef, binding.Subjects)
	})
	s.AddTypeDefaultingFunc(&storagev1.StorageClass{}, func(o any) {
		class := o.(*storagev1.StorageClass)
		defaultPointer(&class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		defaultPointer(&class.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	})
	s.AddTypeDefaultingFunc(&corev1.PersistentVolumeClaim{}, func(o any) {
		defaultPointer(&o.(*corev1.PersistentVolumeClaim).Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	})
}

// setDefault sets a field that is empty.
func setDefault[T comparable](to *T, value T) {
	var empty T
	if *to == empty {
		*to = value
	}
}

// defaultPointer sets a field that is not there.
func defaultPointer[T any](to **T, value T) {
	if *to == nil {
		*to = &value
	}
}

func defaultService(service *corev1.Service) {
	spec := &service.Spec
	setDefault(&spec.SessionAffinity, corev1.ServiceAffinityNone)
	if spec.SessionAffinity == corev1.ServiceAffinityNone {
		spec.SessionAffinityConfig = nil
	}
	if spec.SessionAffinity == corev1.ServiceAffinityClientIP {
		if spec.SessionAffinityConfig == nil || spec.SessionAffinityConfig.ClientIP == nil || spec.SessionAffinityConfig.ClientIP.TimeoutSeconds == nil {
			spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{
				ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: ptr.To(corev1.DefaultClientIPServiceAffinitySeconds)},
			}
		}
	}
	setDefault(&spec.Type, corev1.ServiceTypeClusterIP)
	for i := range spec.Ports {
		port := &spec.Ports[i]
		setDefault(&port.Protocol, corev1.ProtocolTCP)
		if port.TargetPort == intstr.FromInt32(0) || port.TargetPort == intstr.FromString("") {
			port.TargetPort = intstr.FromInt32(port.Port)
		}
	}
	if spec.Type == corev1.ServiceTypeNodePort || spec.Type == corev1.ServiceTypeLoadBalancer || spec.Type == corev1.ServiceTypeClusterIP && len(spec.ExternalIPs) > 0 {
		setDefault(&spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	if spec.Type != corev1.ServiceTypeExternalName {
		defaultPointer(&spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if spec.Type == corev1.ServiceTypeLoadBalancer {
		defaultPointer(&spec.AllocateLoadBalancerNodePorts, true)
		for i := range service.Status.LoadBalancer.Ingress {
			if ingress := &service.Status.LoadBalancer.Ingress[i]; ingress.IP != "" {
				defaultPointer(&ingress.IPMode, corev1.LoadBalancerIPModeVIP)
			}
		}
	}
}

func defaultPod(pod *corev1.Pod) {
	spec := &pod.Spec
	setDefault(&spec.RestartPolicy, corev1.RestartPolicyAlways)
	setDefault(&spec.DNSPolicy, corev1.DNSClusterFirst)
	setDefault(&spec.SchedulerName, corev1.DefaultSchedulerName)
	setDefault(&spec.ServiceAccountName, "default")
	defaultPointer(&spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	defaultPointer(&spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
	if spec.SecurityContext == nil {
		spec.SecurityContext = &corev1.PodSecurityContext{}
	}
}
