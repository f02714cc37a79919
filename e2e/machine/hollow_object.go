package machine

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
)

// What a hollow node says of itself.
const (
	hollowKubeletVersion = "v1.37.1"
	hollowKubeletPort    = 10250
	hollowMaxPods        = 110

	annotationAttachDetach = "volumes.kubernetes.io/controller-managed-attach-detach"
)

// newHollowNodeObject returns the Node that a kubelet with
// --cloud-provider=external registers (kubelet_node_status.go, initialNode):
// tainted as uninitialized and not ready yet. An initialized one stands for a
// Node that has been there for long, so it is ready from its first moment: a
// CCM deletes a Node that is not ready when the cloud has no VM of it.
func newHollowNodeObject(spec HollowSpec, now time.Time) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: spec.Name,
			Labels: map[string]string{
				corev1.LabelHostname: spec.Name,
				corev1.LabelOSStable: "linux", "beta.kubernetes.io/os": "linux",
				corev1.LabelArchStable: "amd64", "beta.kubernetes.io/arch": "amd64",
			},
			Annotations: map[string]string{annotationAttachDetach: "true"},
		},
		Spec: corev1.NodeSpec{
			ProviderID: spec.ProviderID,
			Taints: []corev1.Taint{{
				Key: cloudproviderapi.TaintExternalCloudProvider, Value: "true", Effect: corev1.TaintEffectNoSchedule,
			}},
		},
		Status: hollowNodeStatus(spec, spec.Initialized, now),
	}
	if len(spec.PodCIDRs) > 0 {
		node.Spec.PodCIDR, node.Spec.PodCIDRs = spec.PodCIDRs[0], spec.PodCIDRs
	}
	if spec.Initialized {
		node.Spec.Taints = nil
	}
	for key, value := range spec.Labels {
		node.Labels[key] = value
	}
	if len(spec.NodeIPs) > 0 {
		node.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr] = strings.Join(spec.NodeIPs, ",")
	}
	return node
}

func hollowNodeStatus(spec HollowSpec, ready bool, now time.Time) corev1.NodeStatus {
	resources := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("4"),
		corev1.ResourceMemory:           resource.MustParse("8Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
		corev1.ResourcePods:             *resource.NewQuantity(hollowMaxPods, resource.DecimalSI),
	}
	return corev1.NodeStatus{
		Capacity: resources, Allocatable: resources,
		Conditions: hollowConditions(ready, now),
		Addresses:  hollowAddresses(spec),
		DaemonEndpoints: corev1.NodeDaemonEndpoints{
			KubeletEndpoint: corev1.DaemonEndpoint{Port: hollowKubeletPort},
		},
		NodeInfo: corev1.NodeSystemInfo{
			OperatingSystem: "linux", Architecture: "amd64", OSImage: "simcloud hollow node",
			KubeletVersion: hollowKubeletVersion, ContainerRuntimeVersion: "simcloud://0",
		},
	}
}

// hollowAddresses are the hostname and, when the kubelet was told a node IP, that.
func hollowAddresses(spec HollowSpec) []corev1.NodeAddress {
	var addresses []corev1.NodeAddress
	for _, ip := range spec.NodeIPs {
		addresses = append(addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: ip})
	}
	return append(addresses, corev1.NodeAddress{Type: corev1.NodeHostName, Address: spec.Name})
}

func hollowConditions(ready bool, now time.Time) []corev1.NodeCondition {
	condition := func(t corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
		at := metav1.NewTime(now)
		return corev1.NodeCondition{
			Type: t, Status: status, Reason: reason, Message: message, LastHeartbeatTime: at, LastTransitionTime: at,
		}
	}
	readiness := condition(corev1.NodeReady, corev1.ConditionFalse, "KubeletNotReady", "the hollow node has just registered")
	if ready {
		readiness = condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "the hollow node is posting ready status")
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
		readiness,
	}
}
