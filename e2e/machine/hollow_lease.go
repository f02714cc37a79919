package machine

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
