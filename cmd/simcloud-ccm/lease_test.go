package main

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// TestRelease: what this process leads by is given up, also when it was renewed just then, and what another has is not.
func TestRelease(t *testing.T) {
	t.Parallel()
	for _, held := range []map[string]string{
		{"own": "me", "migration": "me"},
		{"own": "me", "migration": "other"},
		{"own": "other", "migration": "other"},
	} {
		var leases []runtime.Object
		for name, holder := range held {
			leases = append(leases, &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: name},
				Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To(holder), LeaseDurationSeconds: ptr.To[int32](15)},
			})
		}
		kube := fake.NewClientset(leases...)
		renewed := false
		kube.PrependReactor("update", "leases", func(ktesting.Action) (bool, runtime.Object, error) {
			if renewed {
				return false, nil, nil
			}
			renewed = true
			return true, nil, apierrors.NewConflict(coordinationv1.Resource("leases"), "own", nil)
		})
		l := &lease{kube: kube, namespace: metav1.NamespaceSystem, names: []string{"own", "migration"}, holder: "me"}
		if err := l.release(t.Context()); err != nil {
			t.Errorf("%v: %v", held, err)
		}
		for name, holder := range held {
			now, err := l.get(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[string]string{"me": "", "other": "other"}[holder]; *now.Spec.HolderIdentity != want {
				t.Errorf("%v: %s is held by %q afterwards, want %q", held, name, *now.Spec.HolderIdentity, want)
			}
		}
	}
}
