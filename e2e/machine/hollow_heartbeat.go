package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// heartbeats renews the Lease and reports the status until ctx is done, or
// until the Node is gone: there is nothing to report on then, and the node
// goes on without one, as a kubelet does.
func (n *hollowNode) heartbeats(ctx context.Context) {
	tick := time.NewTicker(n.beat)
	defer tick.Stop()
	for n.frozen.pass(ctx) {
		err := n.heartbeat(ctx, time.Now())
		if apierrors.IsNotFound(err) {
			n.log.Info("the Node of a hollow node is gone; it does not register again")
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

// heartbeat reports once: it renews the Lease, which is all that a healthy node
// reports, and sets the status when it is not as it should be. It answers
// NotFound when the Node that was registered is gone, even when there is another of the name.
func (n *hollowNode) heartbeat(ctx context.Context, now time.Time) error {
	node, err := n.own(ctx)
	if err != nil {
		return err
	}
	if !reported(node, now) {
		if err := n.reportStatus(ctx, node, now); err != nil {
			return fmt.Errorf("report the status of %s: %w", n.spec.Name, err)
		}
	}
	if err := n.renewLease(ctx, now); err != nil {
		return fmt.Errorf("renew the lease of %s: %w", n.spec.Name, err)
	}
	return nil
}

// own returns the Node that was registered. It asks the API server's cache
// first, which thousands of nodes can do, and believes it that the Node is
// there, but not that it is gone.
func (n *hollowNode) own(ctx context.Context) (*corev1.Node, error) {
	nodes := n.kube.CoreV1().Nodes()
	node, err := nodes.Get(ctx, n.spec.Name, metav1.GetOptions{ResourceVersion: "0"})
	if apierrors.IsNotFound(err) || err == nil && node.UID != n.uid {
		node, err = nodes.Get(ctx, n.spec.Name, metav1.GetOptions{})
	}
	if err == nil && node.UID != n.uid {
		err = apierrors.NewNotFound(corev1.Resource("nodes"), string(n.uid))
	}
	return node, err
}

// reportPeriod is how often a status that has not changed is reported all the same, as by a kubelet.
const reportPeriod = 5 * time.Minute

// reported reports whether the Node says already what the hollow node would say.
func reported(node *corev1.Node, now time.Time) bool {
	for _, want := range hollowConditions(true, now) {
		if !slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == want.Type && c.Status == want.Status && c.Reason == want.Reason && now.Sub(c.LastHeartbeatTime.Time) < reportPeriod
		}) {
			return false
		}
	}
	return true
}

// reportStatus sets the conditions that are a kubelet's to set, and leaves
// the others alone. A condition's time of transition changes only with its status.
func (n *hollowNode) reportStatus(ctx context.Context, node *corev1.Node, now time.Time) error {
	conditions := hollowConditions(true, now)
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

// renewLease renews the node's Lease as it was last seen, by one call. When
// another client has changed it, it is read again; when there is none, it is made.
func (n *hollowNode) renewLease(ctx context.Context, now time.Time) error {
	leases := n.kube.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	if n.held != nil {
		renewed, err := leases.Update(ctx, n.leaseObject(n.held, now), metav1.UpdateOptions{})
		if err == nil {
			n.held = renewed
		}
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
		n.held = nil
	}
	current, err := leases.Get(ctx, n.spec.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		n.held, err = leases.Create(ctx, n.leaseObject(&coordinationv1.Lease{}, now), metav1.CreateOptions{})
	case err == nil:
		n.held, err = leases.Update(ctx, n.leaseObject(current, now), metav1.UpdateOptions{})
	}
	if err != nil {
		n.held = nil
	}
	return err
}

// leaseObject is the Lease as it is to be from now on.
func (n *hollowNode) leaseObject(old *coordinationv1.Lease, now time.Time) *coordinationv1.Lease {
	lease := old.DeepCopy()
	lease.Name, lease.Namespace = n.spec.Name, corev1.NamespaceNodeLease
	lease.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: n.spec.Name, UID: n.uid}}
	seconds, renewed := int32(max(1, n.lease/time.Second)), metav1.NewMicroTime(now)
	lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: &n.spec.Name, LeaseDurationSeconds: &seconds, RenewTime: &renewed}
	return lease
}
