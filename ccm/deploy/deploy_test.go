package deploy_test

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/simcloud-dev/simcloud/ccm/deploy"
)

// TestBindingsLead: every binding gives the ServiceAccount a role that is there.
func TestBindingsLead(t *testing.T) {
	t.Parallel()
	a := readAccess(t)
	own := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: a.ServiceAccount.Name, Namespace: a.ServiceAccount.Namespace}
	clusterRoles := map[string]bool{a.ClusterRole.Name: true, "system:auth-delegator": true}
	roles := map[string]bool{a.Role.Name: true, "extension-apiserver-authentication-reader": true}
	for _, b := range a.ClusterRoleBindings {
		if len(b.Subjects) != 1 || b.Subjects[0] != own || b.RoleRef.Kind != "ClusterRole" || !clusterRoles[b.RoleRef.Name] {
			t.Errorf("ClusterRoleBinding %s binds %v to %v", b.Name, b.RoleRef, b.Subjects)
		}
	}
	for _, b := range a.RoleBindings {
		if len(b.Subjects) != 1 || b.Subjects[0] != own || b.RoleRef.Kind != "Role" || !roles[b.RoleRef.Name] || b.Namespace != own.Namespace {
			t.Errorf("RoleBinding %s/%s binds %v to %v", b.Namespace, b.Name, b.RoleRef, b.Subjects)
		}
	}
	if len(a.ClusterRoleBindings) != len(clusterRoles) || len(a.RoleBindings) != len(roles) {
		t.Errorf("%d and %d bindings, want one per role", len(a.ClusterRoleBindings), len(a.RoleBindings))
	}
}

// TestNoWildcards: no rule gives more than it names.
func TestNoWildcards(t *testing.T) {
	t.Parallel()
	a := readAccess(t)
	for _, rule := range slices.Concat(a.ClusterRole.Rules, a.Role.Rules) {
		for _, word := range slices.Concat(rule.Verbs, rule.Resources, rule.APIGroups) {
			if word == "*" {
				t.Errorf("a wildcard in %v", rule)
			}
		}
	}
}

func readAccess(t *testing.T) deploy.Access {
	t.Helper()
	a, err := deploy.ReadAccess()
	if err != nil {
		t.Fatal(err)
	}
	return a
}
