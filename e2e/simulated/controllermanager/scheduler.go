package controllermanager

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// schedule binds pods to Nodes as kube-scheduler does, by taints and node selectors: to the one with the fewest pods.
func (m *Manager) schedule(ctx context.Context) error {
	load := map[string]int{}
	_ = each(m, podTable, func(pod *corev1.Pod) error {
		load[pod.Spec.NodeName]++
		return nil
	})
	return each(m, podTable, func(pod *corev1.Pod) error {
		if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil {
			return nil
		}
		node := m.nodeFor(pod, load)
		if node == "" {
			return m.setScheduled(ctx, pod, corev1.PodCondition{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0 nodes are available.",
			})
		}
		load[node]++
		binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace}, Target: corev1.ObjectReference{Kind: "Node", Name: node}}
		return unless(m.Kube.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{}))
	})
}

// nodeFor is the Node that a pod may run on, and that has the fewest; empty for none.
func (m *Manager) nodeFor(pod *corev1.Pod, load map[string]int) (best string) {
	_ = each(m, nodeTable, func(node *corev1.Node) error {
		if fits(pod, node) && (best == "" || load[node.Name] < load[best]) {
			best = node.Name
		}
		return nil
	})
	return best
}

func fits(pod *corev1.Pod, node *corev1.Node) bool {
	if node.Spec.Unschedulable || !labels.SelectorFromSet(pod.Spec.NodeSelector).Matches(labels.Set(node.Labels)) {
		return false
	}
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerates(pod, taint) {
			return false
		}
	}
	return true
}

func tolerates(pod *corev1.Pod, taint *corev1.Taint) bool {
	for _, t := range pod.Spec.Tolerations {
		effect := t.Effect == "" || t.Effect == taint.Effect
		key := t.Key == "" && t.Operator == corev1.TolerationOpExists || t.Key == taint.Key
		if effect && key && (t.Operator == corev1.TolerationOpExists || t.Value == taint.Value) {
			return true
		}
	}
	return false
}

// setScheduled tells why a pod has no Node, once.
func (m *Manager) setScheduled(ctx context.Context, pod *corev1.Pod, condition corev1.PodCondition) error {
	for _, was := range pod.Status.Conditions {
		if was.Type == condition.Type && was.Status == condition.Status && was.Message == condition.Message {
			return nil
		}
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.PodCondition{condition}}})
	if err != nil {
		return err
	}
	_, err = m.Kube.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return unless(err)
}
