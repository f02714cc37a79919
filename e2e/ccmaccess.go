package e2e

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// What a CCM is in the cluster.
const (
	ccmNamespace      = metav1.NamespaceSystem
	ccmServiceAccount = "cloud-controller-manager"
	ccmRole           = "simcloud:cloud-controller-manager"
	// ccmTokenLife is how long a CCM's token is good: each start gets a new
	// one, and a sandbox may stand for weeks.
	ccmTokenLife = 90 * 24 * time.Hour
)

// ccmRules are the verbs that the controllers of k8s.io/cloud-provider use,
// and nothing more: a CCM that needs others must fail here, as it would in a
// cluster whose administrator is careful.
func ccmRules() []rbacv1.PolicyRule {
	rule := func(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
	}
	return []rbacv1.PolicyRule{
		rule("", []string{"nodes"}, "get", "list", "watch", "update", "patch", "delete"),
		rule("", []string{"nodes/status"}, "update", "patch"),
		rule("", []string{"services"}, "get", "list", "watch", "update", "patch"),
		rule("", []string{"services/status"}, "update", "patch"),
		rule("", []string{"persistentvolumes"}, "get", "list", "watch", "update", "patch"),
		rule("", []string{"events"}, "create", "update", "patch"),
		rule("events.k8s.io", []string{"events"}, "create", "update", "patch"),
		rule("coordination.k8s.io", []string{"leases"}, "get", "create", "update"),
		rule("", []string{"serviceaccounts"}, "get", "create"),
		rule("", []string{"serviceaccounts/token"}, "create"),
	}
}

// grantCCM makes the CCM's ServiceAccount and its role.
func grantCCM(ctx context.Context, kube kubernetes.Interface) error {
	meta := metav1.ObjectMeta{Name: ccmRole}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: ccmServiceAccount, Namespace: ccmNamespace}}
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: ccmRole}
	reader := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "extension-apiserver-authentication-reader"}

	_, err := kube.CoreV1().ServiceAccounts(ccmNamespace).Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: ccmServiceAccount}}, metav1.CreateOptions{})
	if exists(err) == nil {
		_, err = kube.RbacV1().ClusterRoles().Create(ctx,
			&rbacv1.ClusterRole{ObjectMeta: meta, Rules: ccmRules()}, metav1.CreateOptions{})
	}
	if exists(err) == nil {
		_, err = kube.RbacV1().ClusterRoleBindings().Create(ctx,
			&rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: role}, metav1.CreateOptions{})
	}
	if exists(err) == nil {
		_, err = kube.RbacV1().RoleBindings(ccmNamespace).Create(ctx,
			&rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: reader}, metav1.CreateOptions{})
	}
	if err := exists(err); err != nil {
		return fmt.Errorf("give the cloud controller manager its access: %w", err)
	}
	return nil
}

// exists is err, unless it says that what was to be created is there.
func exists(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// ccmAccess returns the CCM's access to a cluster, with a new token.
func ccmAccess(ctx context.Context, kube kubernetes.Interface, admin *rest.Config) (*rest.Config, error) {
	seconds := int64(ccmTokenLife / time.Second)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	token, err := kube.CoreV1().ServiceAccounts(ccmNamespace).CreateToken(ctx, ccmServiceAccount, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("get a token for the cloud controller manager: %w", err)
	}
	access := rest.AnonymousClientConfig(admin)
	access.BearerToken = token.Status.Token
	return access, nil
}
