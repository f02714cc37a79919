package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// heartbeats renews the Lease and reports the status until ctx is done, or
// until the Node is gone: there is nothing to report on then, and the node
// goes on without one, as a kubelet does.
func (n *lightNode) heartbeats(ctx context.Context) {
	tick := time.NewTicker(n.beat)
	defer tick.Stop()
	for n.frozen.pass(ctx) {
		err := n.heartbeat(ctx, time.Now())
		if apierrors.IsNotFound(err) {
			n.log.Info("the Node of a light node is gone; it does not register again")
			return
		}
		if err != nil && ctx.Err() == nil {
			n.log.Warn("a heartbeat failed", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// heartbeat reports once. It answers NotFound when the Node that was
// registered is gone, even when there is another of the name.
func (n *lightNode) heartbeat(ctx context.Context, now time.Time) error {
	node, err := n.kube.CoreV1().Nodes().Get(ctx, n.spec.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if node.UID != n.uid {
		return apierrors.NewNotFound(corev1.Resource("nodes"), string(n.uid))
	}
	if err := n.reportStatus(ctx, node, now); err != nil {
		return fmt.Errorf("report the status of %s: %w", n.spec.Name, err)
	}
	if err := renewLease(ctx, n.kube, node, n.lease, now); err != nil {
		return fmt.Errorf("renew the lease of %s: %w", n.spec.Name, err)
	}
	return nil
}

// reportStatus sets the conditions that are a kubelet's to set, and leaves
// the others alone. A condition's time of transition changes only with its status.
func (n *lightNode) reportStatus(ctx context.Context, node *corev1.Node, now time.Time) error {
	conditions := lightConditions(true, now)
	for i := range conditions {
		for _, old := range node.Status.Conditions {
			if old.Type == conditions[i].Type && old.Status == conditions[i].Status {
				conditions[i].LastTransitionTime = old.LastTransitionTime
			}
		}
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": n.uid}, // a patch of another Node is refused
		"status":   map[string]any{"conditions": conditions},
	})
	if err != nil {
		return err
	}
	_, err = n.kube.CoreV1().Nodes().Patch(ctx, n.spec.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// renewLease renews a node's Lease, and makes it when there is none.
func renewLease(ctx context.Context, kube kubernetes.Interface, node *corev1.Node, good time.Duration, now time.Time) error {
	leases := kube.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	seconds := int32(max(1, good/time.Second))
	renewed := metav1.NewMicroTime(now)
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Name: node.Name, Namespace: corev1.NamespaceNodeLease,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}},
		},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &node.Name, LeaseDurationSeconds: &seconds, RenewTime: &renewed},
	}
	current, err := leases.Get(ctx, node.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	current = current.DeepCopy()
	current.OwnerReferences, current.Spec = lease.OwnerReferences, lease.Spec
	_, err = leases.Update(ctx, current, metav1.UpdateOptions{})
	return err
}
