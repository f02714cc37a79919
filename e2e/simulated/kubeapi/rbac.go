package kubeapi

import (
	"context"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/store"
)

// rbac decides what a user may do by the roles that are bound to them, as the authorizer RBAC does.
type rbac struct{}

// Authorize reports whether a request is allowed. What is not allowed is no opinion.
func (rbac) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	who := a.GetUser()
	if who == nil {
		return authorizer.DecisionNoOpinion, "", nil
	}
	if slices.Contains(who.GetGroups(), user.SystemPrivilegedGroup) || discovers(a) || asksOfSelf(a) {
		return authorizer.DecisionAllow, "", nil
	}
	for _, rule := range rulesFor(store.FromContext(ctx), who, a.GetNamespace()) {
		if allows(rule, a) {
			return authorizer.DecisionAllow, "", nil
		}
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// discovers reports whether a request asks what the server serves, which all users may.
func discovers(a authorizer.Attributes) bool {
	if a.IsResourceRequest() || a.GetVerb() != "get" {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(a.GetPath(), "/"), "/")
	return slices.Contains([]string{"api", "apis", "healthz", "livez", "openapi", "readyz", "version"}, first)
}

// asksOfSelf reports whether a request asks who the caller is or what the caller may do, which all users may.
func asksOfSelf(a authorizer.Attributes) bool {
	return a.IsResourceRequest() && a.GetVerb() == "create" &&
		slices.Contains([]string{"selfsubjectreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"}, a.GetResource())
}

// Where roles are kept.
const (
	clusterRoleTable = "clusterroles." + rbacv1.GroupName
	roleTable        = "roles." + rbacv1.GroupName
)

// objectsOf returns what a store has of a kind, in one namespace or everywhere.
func objectsOf[T runtime.Object](db *store.DB, table, namespace string) []T {
	prefix := "/" + table + "/"
	if namespace != "" {
		prefix += namespace + "/"
	}
	entries, _ := db.List(table, prefix)
	objects := make([]T, len(entries))
	for i, entry := range entries {
		objects[i] = entry.Object.(T)
	}
	return objects
}

// rulesFor are the rules of the roles that a user has in a namespace.
func rulesFor(db *store.DB, who user.Info, namespace string) (rules []rbacv1.PolicyRule) {
	for _, binding := range objectsOf[*rbacv1.ClusterRoleBinding](db, "clusterrolebindings."+rbacv1.GroupName, "") {
		if bound(binding.Subjects, who, "") {
			rules = append(rules, grantedBy(db, binding.RoleRef, "")...)
		}
	}
	if namespace == "" {
		return rules
	}
	for _, binding := range objectsOf[*rbacv1.RoleBinding](db, "rolebindings."+rbacv1.GroupName, namespace) {
		if bound(binding.Subjects, who, namespace) {
			rules = append(rules, grantedBy(db, binding.RoleRef, namespace)...)
		}
	}
	return rules
}

func bound(subjects []rbacv1.Subject, who user.Info, namespace string) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		switch s.Kind {
		case rbacv1.UserKind:
			return s.Name == who.GetName()
		case rbacv1.GroupKind:
			return slices.Contains(who.GetGroups(), s.Name)
		case rbacv1.ServiceAccountKind:
			in := s.Namespace
			if in == "" {
				in = namespace
			}
			return serviceaccount.MakeUsername(in, s.Name) == who.GetName()
		}
		return false
	})
}

func grantedBy(db *store.DB, ref rbacv1.RoleRef, namespace string) []rbacv1.PolicyRule {
	if ref.Kind == "ClusterRole" {
		if role, _ := db.Get(clusterRoleTable, "/"+clusterRoleTable+"/"+ref.Name); role != nil {
			return role.(*rbacv1.ClusterRole).Rules
		}
		return nil
	}
	if role, _ := db.Get(roleTable, "/"+roleTable+"/"+namespace+"/"+ref.Name); role != nil {
		return role.(*rbacv1.Role).Rules
	}
	return nil
}

// allows reports whether a rule covers a request.
func allows(rule rbacv1.PolicyRule, a authorizer.Attributes) bool {
	has := func(list []string, value string) bool {
		return slices.Contains(list, value) || slices.Contains(list, "*")
	}
	if !has(rule.Verbs, a.GetVerb()) {
		return false
	}
	if !a.IsResourceRequest() {
		return slices.ContainsFunc(rule.NonResourceURLs, func(url string) bool {
			return url == a.GetPath() || strings.HasSuffix(url, "*") && strings.HasPrefix(a.GetPath(), strings.TrimSuffix(url, "*"))
		})
	}
	resource := a.GetResource()
	if a.GetSubresource() != "" {
		resource += "/" + a.GetSubresource()
	}
	return has(rule.APIGroups, a.GetAPIGroup()) &&
		(has(rule.Resources, resource) || a.GetSubresource() != "" && slices.Contains(rule.Resources, "*/"+a.GetSubresource())) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, a.GetName()))
}
