package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	ktesting "k8s.io/client-go/testing"
	"k8s.io/cloud-provider/app/config"
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

// TestLeading: a process that stalled until another led does not take the other's lease for its own.
func TestLeading(t *testing.T) {
	t.Parallel()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for holder, own := range map[string]bool{host + "_1": true, "another" + host + "_1": false, "": false} {
		kube := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(coordinationv1.Lease{
				TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
				Spec:     coordinationv1.LeaseSpec{HolderIdentity: ptr.To(holder)},
			})
		}))
		t.Cleanup(kube.Close)
		c := &config.Config{Client: kubernetes.NewForConfigOrDie(&rest.Config{Host: kube.URL})}
		c.ComponentConfig.Generic.LeaderElection.ResourceName = "own"
		held, err := leading(t.Context(), c.Complete())
		if (err == nil) != own || own && held.holder != holder {
			t.Errorf("held by %q: %v, %v; is it its own: %v", holder, held, err, own)
		}
	}
}
