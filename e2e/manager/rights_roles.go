package manager

import (
	"context"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// bootstrapping marks the roles that the API server keeps as they are.
const bootstrapping = "kubernetes.io/bootstrapping"

// boundRole is a ClusterRole that the CCM's ServiceAccount is bound to, or, with a namespace, a Role.
type boundRole struct {
	namespace, name string
	rules           []rbacv1.PolicyRule
}

func (r boundRole) same(other boundRole) bool {
	return r.namespace == other.namespace && r.name == other.name
}

// set changes the rules of the role.
func (r boundRole) set(ctx context.Context, kube kubernetes.Interface, rules []rbacv1.PolicyRule) error {
	if r.namespace != "" {
		role, err := kube.RbacV1().Roles(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
		if err == nil {
			role.Rules = rules
			_, err = kube.RbacV1().Roles(r.namespace).Update(ctx, role, metav1.UpdateOptions{})
		}
		return changed(r.name, err)
	}
	role, err := kube.RbacV1().ClusterRoles().Get(ctx, r.name, metav1.GetOptions{})
	if err == nil {
		role.Rules = rules
		_, err = kube.RbacV1().ClusterRoles().Update(ctx, role, metav1.UpdateOptions{})
	}
	return changed(r.name, err)
}

func changed(role string, err error) error {
	if err != nil {
		return fmt.Errorf("change the role %s: %w", role, err)
	}
	return nil
}

// ccmRoles returns the roles that the CCM's ServiceAccount is bound to, each
// once, but for those that the API server keeps as they are.
func ccmRoles(ctx context.Context, kube kubernetes.Interface) ([]boundRole, error) {
	var roles []boundRole
	add := func(namespace string, ref rbacv1.RoleRef, subjects []rbacv1.Subject) error {
		role := boundRole{name: ref.Name}
		if ref.Kind == "Role" {
			role.namespace = namespace
		}
		if !slices.ContainsFunc(subjects, isCCM) || slices.ContainsFunc(roles, role.same) {
			return nil
		}
		kept, err := role.read(ctx, kube)
		if err == nil && !kept {
			roles = append(roles, role)
		}
		return err
	}
	wide, err := kube.RbacV1().ClusterRoleBindings().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the bindings of roles: %w", err)
	}
	for _, b := range wide.Items {
		if err := add("", b.RoleRef, b.Subjects); err != nil {
			return nil, err
		}
	}
	local, err := kube.RbacV1().RoleBindings(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the bindings of roles: %w", err)
	}
	for _, b := range local.Items {
		if err := add(b.Namespace, b.RoleRef, b.Subjects); err != nil {
			return nil, err
		}
	}
	return roles, nil
}

func isCCM(s rbacv1.Subject) bool {
	return s.Kind == rbacv1.ServiceAccountKind && s.Namespace == ccmNamespace && s.Name == ccmServiceAccount
}

// read reads the rules of the role, and reports whether the API server keeps them as they are.
func (r *boundRole) read(ctx context.Context, kube kubernetes.Interface) (kept bool, err error) {
	var meta metav1.ObjectMeta
	if r.namespace != "" {
		role, err := kube.RbacV1().Roles(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("read the role %s: %w", r.name, err)
		}
		meta, r.rules = role.ObjectMeta, role.Rules
	} else {
		role, err := kube.RbacV1().ClusterRoles().Get(ctx, r.name, metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("read the role %s: %w", r.name, err)
		}
		meta, r.rules = role.ObjectMeta, role.Rules
	}
	_, kept = meta.Labels[bootstrapping]
	return kept, nil
}
