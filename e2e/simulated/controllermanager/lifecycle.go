package controllermanager

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const leaseTable = "leases.coordination.k8s.io"

// health is what is known of one Node: when it was last heard of, by its Lease or its status.
type health struct {
	uid   types.UID
	heard time.Time
	beat  metav1.Time      // of its status
	renew metav1.MicroTime // of its Lease
}

// monitorNodes marks the Nodes that are silent, and gives all Nodes the taints of their conditions
// (pkg/controller/nodelifecycle of Kubernetes). Taints come at once: the limits for big zones are not here.
func (m *Manager) monitorNodes(ctx context.Context) error {
	now := time.Now()
	there := map[string]bool{}
	err := each(m, nodeTable, func(node *corev1.Node) error {
		there[node.Name] = true
		if m.listen(node, now) {
			return m.markSilent(ctx, node, now)
		}
		return m.taint(ctx, node, now)
	})
	for name := range m.health {
		if !there[name] {
			delete(m.health, name)
		}
	}
	return err
}

// listen notes what was heard of a Node, and reports whether it has been silent for too long.
func (m *Manager) listen(node *corev1.Node, now time.Time) bool {
	known := m.health[node.Name]
	if known == nil || known.uid != node.UID {
		known = &health{uid: node.UID, heard: now}
		m.health[node.Name] = known
	}
	if ready := condition(node, corev1.NodeReady); ready != nil && ready.LastHeartbeatTime.After(known.beat.Time) && ready.Status != corev1.ConditionUnknown {
		known.beat, known.heard = ready.LastHeartbeatTime, now
	}
	if lease, _ := m.Objects.Get(leaseTable, "/"+leaseTable+"/"+corev1.NamespaceNodeLease+"/"+node.Name); lease != nil {
		if renew := lease.(*coordinationv1.Lease).Spec.RenewTime; renew != nil && renew.After(known.renew.Time) {
			known.renew, known.heard = *renew, now
		}
	}
	return now.Sub(known.heard) > m.Grace
}

func condition(node *corev1.Node, of corev1.NodeConditionType) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == of {
			return &node.Status.Conditions[i]
		}
	}
	return nil
}

// markSilent sets the conditions of a Node of which nothing is known any more.
func (m *Manager) markSilent(ctx context.Context, node *corev1.Node, now time.Time) error {
	var conditions []corev1.NodeCondition
	for _, of := range []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
		was := condition(node, of)
		switch {
		case was == nil:
			conditions = append(conditions, corev1.NodeCondition{
				Type: of, Status: corev1.ConditionUnknown, Reason: "NodeStatusNeverUpdated", Message: "Kubelet never posted node status.",
				LastHeartbeatTime: node.CreationTimestamp, LastTransitionTime: metav1.NewTime(now),
			})
		case was.Status != corev1.ConditionUnknown:
			conditions = append(conditions, corev1.NodeCondition{
				Type: of, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status.",
				LastHeartbeatTime: was.LastHeartbeatTime, LastTransitionTime: metav1.NewTime(now),
			})
		}
	}
	if len(conditions) == 0 {
		return m.taint(ctx, node, now)
	}
	return m.patch(ctx, node, "status", map[string]any{"conditions": conditions})
}

func (m *Manager) patch(ctx context.Context, node *corev1.Node, part string, value any, subresources ...string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": node.UID}, part: value})
	if err != nil {
		return err
	}
	if part == "status" {
		subresources = []string{"status"}
	}
	_, err = m.Kube.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, subresources...)
	return unless(err)
}

// owned are the taints that this controller sets and removes.
var owned = []string{
	corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable,
	corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure,
}

// taint gives a Node the taints of its conditions, and takes those away that no longer hold.
func (m *Manager) taint(ctx context.Context, node *corev1.Node, now time.Time) error {
	want := taintsOf(node)
	has := func(list []corev1.Taint, t corev1.Taint) bool {
		return slices.ContainsFunc(list, func(other corev1.Taint) bool { return t.MatchTaint(&other) })
	}
	taints := slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t corev1.Taint) bool {
		return slices.Contains(owned, t.Key) && !has(want, t)
	})
	for _, t := range want {
		if !has(taints, t) {
			if t.Effect == corev1.TaintEffectNoExecute {
				at := metav1.NewTime(now)
				t.TimeAdded = &at
			}
			taints = append(taints, t)
		}
	}
	if equality.Semantic.DeepEqual(taints, node.Spec.Taints) {
		return nil
	}
	changed := node.DeepCopy()
	changed.Spec.Taints = taints
	_, err := m.Kube.CoreV1().Nodes().Update(ctx, changed, metav1.UpdateOptions{})
	return unless(err)
}

// taintsOf are the taints that the conditions of a Node ask for.
func taintsOf(node *corev1.Node) (taints []corev1.Taint) {
	for _, c := range node.Status.Conditions {
		switch {
		case c.Type == corev1.NodeReady && c.Status == corev1.ConditionFalse:
			taints = append(taints, both(corev1.TaintNodeNotReady)...)
		case c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown:
			taints = append(taints, both(corev1.TaintNodeUnreachable)...)
		case c.Status == corev1.ConditionTrue && pressures[c.Type] != "":
			taints = append(taints, corev1.Taint{Key: pressures[c.Type], Effect: corev1.TaintEffectNoSchedule})
		}
	}
	if node.Spec.Unschedulable {
		taints = append(taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return taints
}

var pressures = map[corev1.NodeConditionType]string{
	corev1.NodeNetworkUnavailable: corev1.TaintNodeNetworkUnavailable, corev1.NodeMemoryPressure: corev1.TaintNodeMemoryPressure,
	corev1.NodeDiskPressure: corev1.TaintNodeDiskPressure, corev1.NodePIDPressure: corev1.TaintNodePIDPressure,
}

// both are a taint that keeps pods away, and one that ends those that are there.
func both(key string) []corev1.Taint {
	return []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}, {Key: key, Effect: corev1.TaintEffectNoExecute}}
}
