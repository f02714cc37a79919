package manager

import (
	"context"
	"errors"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// moreRights is the name of the role, and of its binding, that a CCM has beside those of simcloud-ccm.
const moreRights = "cloud-controller-manager:profile"

// grantMore gives the CCM what its profile has in rights, in place of what the profile of another CCM had before.
// Rights that it has already are not touched: the API server would need a moment to know them again.
func grantMore(ctx context.Context, kube kubernetes.Interface, rules []rbacv1.PolicyRule) error {
	roles := kube.RbacV1().ClusterRoles()
	if len(rules) == 0 {
		err := absent(kube.RbacV1().ClusterRoleBindings().Delete(ctx, moreRights, metav1.DeleteOptions{}))
		return failedRights(errors.Join(err, absent(roles.Delete(ctx, moreRights, metav1.DeleteOptions{}))))
	}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: moreRights}, Rules: rules}
	if _, err := roles.Create(ctx, role, metav1.CreateOptions{}); exists(err) != nil {
		return failedRights(err)
	} else if err != nil {
		if _, err := roles.Update(ctx, role, metav1.UpdateOptions{}); err != nil {
			return failedRights(err)
		}
	}
	_, err := kube.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: moreRights},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: moreRights},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: ccmNamespace, Name: ccmServiceAccount}},
	}, metav1.CreateOptions{})
	return failedRights(exists(err))
}

func failedRights(err error) error {
	if err != nil {
		return fmt.Errorf("give the cloud controller manager the rights of its profile: %w", err)
	}
	return nil
}
