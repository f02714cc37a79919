package deploy_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	migration "k8s.io/controller-manager/pkg/leadermigration/config"
	"sigs.k8s.io/yaml"

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

// TestMigrationLease: what leader migration adds is the right to read and renew the lease by which upstream migrates.
func TestMigrationLease(t *testing.T) {
	t.Parallel()
	raw, err := deploy.Files().ReadFile("leader-migration/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(raw), "\n---\n") // the binding
	var role rbacv1.Role
	if err := yaml.UnmarshalStrict([]byte(text), &role); err != nil {
		t.Fatal(err)
	}
	lease := migration.DefaultLeaderMigrationConfiguration().LeaderName
	want := []rbacv1.PolicyRule{{
		APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{lease}, Verbs: []string{"get", "update"},
	}}
	if !reflect.DeepEqual(role.Rules, want) {
		t.Errorf("the rules are %v, want %v", role.Rules, want)
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
