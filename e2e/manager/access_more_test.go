package manager

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// TestGrantMore: a CCM has the rights of its profile, and none of the profile before.
func TestGrantMore(t *testing.T) {
	t.Parallel()
	kube := fake.NewClientset()
	rule := func(verb string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{verb}}
	}
	for _, rules := range [][]rbacv1.PolicyRule{{rule("patch")}, {rule("patch")}, {rule("delete")}, nil, nil, {rule("patch")}} {
		if err := grantMore(t.Context(), kube, rules); err != nil {
			t.Fatal(err)
		}
		var has []rbacv1.PolicyRule
		roles, err := ccmRoles(t.Context(), kube)
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range roles {
			if role.name == moreRights {
				has = role.rules
			}
		}
		if len(rules) > 0 {
			if diff := cmp.Diff(rules, has); diff != "" {
				t.Errorf("wrong rights (-want +got):\n%s", diff)
			}
			continue
		}
		left, err := kube.RbacV1().ClusterRoles().List(t.Context(), metav1.ListOptions{})
		if err != nil || len(left.Items) > 0 {
			t.Errorf("without rights there are roles: %v, %v", left.Items, err)
		}
	}
}
