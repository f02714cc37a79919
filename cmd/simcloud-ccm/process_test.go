package main

import (
	"errors"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// TestFinish: a process whose lease was given up has to end at once, and only such a one.
func TestFinish(t *testing.T) {
	t.Parallel()
	held := func(fails bool) *lease {
		kube := fake.NewClientset(&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "own"},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("me")},
		})
		kube.PrependReactor("update", "leases", func(ktesting.Action) (bool, runtime.Object, error) {
			return fails, nil, errors.New("the API server is away")
		})
		return &lease{kube: kube, namespace: metav1.NamespaceSystem, names: []string{"own"}, holder: "me"}
	}
	for _, c := range []struct {
		name  string
		lease *lease
		want  bool
	}{
		{"never led", nil, false},
		{"led", held(false), true},
		{"keeps it", held(true), false},
	} {
		p := &process{}
		p.lease.Store(c.lease)
		if got := p.finish(); got != c.want {
			t.Errorf("%s: finish = %v, want %v", c.name, got, c.want)
		}
	}
}
