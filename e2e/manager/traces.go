package manager

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// RestoreHost takes back what the CCM of a guest has made of its own accord,
// which carries no mark: its lease, and the condition that its route controller has left on
// other Nodes. It is for the cluster of a guest alone, since nothing says whose these
// are. When the cluster has a CCM of its own, it does nothing.
func RestoreHost(ctx context.Context, kube kubernetes.Interface) error {
	_, err := kube.CoreV1().ServiceAccounts(ccmNamespace).Get(ctx, ccmServiceAccount, metav1.GetOptions{})
	if err == nil {
		return nil // that of the cluster: the guest's own is gone
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	if err := absent(kube.CoordinationV1().Leases(ccmNamespace).Delete(ctx, ccmLease, metav1.DeleteOptions{})); err != nil {
		return err
	}
	return restoreNodes(ctx, kube)
}

// restoreNodes takes the condition of a route controller from the Nodes of others.
func restoreNodes(ctx context.Context, kube kubernetes.Interface) error {
	nodes, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	patch := fmt.Appendf(nil, `{"status":{"conditions":[{"type":%q,"$patch":"delete"}]}}`, corev1.NodeNetworkUnavailable)
	for i := range nodes.Items {
		node := &nodes.Items[i]
		if !MadeByRoutes(node) {
			continue
		}
		_, err := kube.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		if absent(err) != nil {
			return fmt.Errorf("restore the Node %s: %w", node.Name, err)
		}
	}
	return nil
}

// MadeByRoutes reports whether a Node has the condition that a route
// controller sets. On a Node that the CCM under test does not manage it is one of the few things that a CCM changes there.
func MadeByRoutes(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeNetworkUnavailable && (c.Reason == "RouteCreated" || c.Reason == "NoRouteCreated") {
			return true
		}
	}
	return false
}
