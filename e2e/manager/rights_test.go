package manager

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	nodes := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes", "nodes/status"}, Verbs: []string{"get", "delete"}}
	lease := rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{"ccm"}, Verbs: []string{"delete"}}
	urls := rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}
	for _, tt := range []struct {
		verbs, resources []string
		left, taken      []string
	}{
		{[]string{"delete"}, []string{"nodes"}, []string{"[get] nodes", "[get delete] nodes/status", "[delete] leases", "[get] "}, []string{"delete nodes"}},
		{[]string{"get", "delete"}, []string{"nodes/status"}, []string{"[get delete] nodes", "[delete] leases", "[get] "}, []string{"get nodes/status", "delete nodes/status"}},
		{[]string{"delete"}, []string{"*"}, []string{"[get] nodes", "[get] nodes/status", "[get] "}, []string{"delete nodes", "delete nodes/status", "delete leases/ccm"}},
		{[]string{"*"}, []string{"leases"}, []string{"[get delete] nodes", "[get delete] nodes/status", "[get] "}, []string{"delete leases/ccm"}},
		{[]string{"watch"}, []string{"nodes"}, []string{"[get delete] nodes", "[get delete] nodes/status", "[delete] leases", "[get] "}, nil},
	} {
		rules := []rbacv1.PolicyRule{nodes, lease, urls}
		left, taken := without(rules, tt.verbs, tt.resources)
		var gotLeft, gotTaken []string
		for _, r := range left {
			gotLeft = append(gotLeft, fmt.Sprint(r.Verbs, " ", join(r.Resources)))
		}
		for _, r := range taken {
			text := r.String()
			if r.name != "" {
				text += "/" + r.name
			}
			gotTaken = append(gotTaken, text)
		}
		if diff := cmp.Diff(tt.left, gotLeft); diff != "" {
			t.Errorf("%s %s: left (-want +got):\n%s", tt.verbs, tt.resources, diff)
		}
		if diff := cmp.Diff(tt.taken, gotTaken); diff != "" {
			t.Errorf("%s %s: taken (-want +got):\n%s", tt.verbs, tt.resources, diff)
		}
		if diff := cmp.Diff([]rbacv1.PolicyRule{nodes, lease, urls}, rules); diff != "" {
			t.Errorf("the rules that were given have changed:\n%s", diff)
		}
	}
}

func join(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// TestAllowAfterAFailure: what could not be given back is not forgotten.
func TestAllowAfterAFailure(t *testing.T) {
	t.Parallel()
	c := testCCM(t, CCMSpec{Name: "none"})
	kube := c.deps.Kube.Client.(*fake.Clientset)
	kept := map[string]string{bootstrapping: "rbac-defaults"} // what each API server has
	for _, err := range []error{
		kube.Tracker().Add(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "system:auth-delegator", Labels: kept}}),
		kube.Tracker().Add(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "extension-apiserver-authentication-reader", Namespace: ccmNamespace, Labels: kept}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	mayDelete := func() bool { // of the tracker: reactors must not call the client
		role, err := kube.Tracker().Get(rbacv1.SchemeGroupVersion.WithResource("clusterroles"), "", "simcloud:cloud-controller-manager")
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(role.(*rbacv1.ClusterRole).Rules, func(r rbacv1.PolicyRule) bool {
			return slices.Contains(r.Resources, "nodes") && slices.Contains(r.Verbs, "delete")
		})
	}
	kube.PrependReactor("create", "subjectaccessreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &authorizationv1.SubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: mayDelete()}}, nil
	})
	if err := c.Forbid(t.Context(), []string{"delete"}, []string{"nodes"}); err != nil || mayDelete() {
		t.Fatalf("forbid: %v, may delete %t", err, mayDelete())
	}
	down := errors.New("the API server is down")
	broken := true
	kube.PrependReactor("update", "clusterroles", func(clienttesting.Action) (bool, runtime.Object, error) {
		return broken, nil, down
	})
	if err := c.Allow(t.Context()); !errors.Is(err, down) {
		t.Errorf("allow while the API server is down: %v", err)
	}
	broken = false
	if err := c.Allow(t.Context()); err != nil || !mayDelete() {
		t.Errorf("allow again: %v, may delete %t; want all rights back", err, mayDelete())
	}
}
