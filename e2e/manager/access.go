package manager

import (
	"context"
	"errors"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/ccm/deploy"
)

// What a CCM is in the cluster.
const (
	ccmNamespace      = metav1.NamespaceSystem
	ccmServiceAccount = "cloud-controller-manager"
	ccmLease          = "cloud-controller-manager" // of the leader
	// User is the CCM to the API server.
	User = "system:serviceaccount:" + ccmNamespace + ":" + ccmServiceAccount
	// ccmTokenLife is how long a CCM's token is good: each start gets a new
	// one, and a sandbox may stand for weeks.
	ccmTokenLife = 90 * 24 * time.Hour
)

// Grant gives the CCM exactly what the manifests of simcloud-ccm give: one
// that needs more must fail here, as it would in a cluster whose administrator is careful.
func Grant(ctx context.Context, kube kubernetes.Interface) error {
	access, err := deploy.ReadAccess()
	if err != nil {
		return err
	}
	rbac, always := kube.RbacV1(), metav1.CreateOptions{}
	_, err = kube.CoreV1().ServiceAccounts(ccmNamespace).Create(ctx, &access.ServiceAccount, always)
	errs := []error{exists(err)}
	_, err = rbac.ClusterRoles().Create(ctx, &access.ClusterRole, always)
	errs = append(errs, exists(err))
	_, err = rbac.Roles(ccmNamespace).Create(ctx, &access.Role, always)
	errs = append(errs, exists(err))
	for i := range access.ClusterRoleBindings {
		_, err = rbac.ClusterRoleBindings().Create(ctx, &access.ClusterRoleBindings[i], always)
		errs = append(errs, exists(err))
	}
	for i := range access.RoleBindings {
		_, err = rbac.RoleBindings(ccmNamespace).Create(ctx, &access.RoleBindings[i], always)
		errs = append(errs, exists(err))
	}
	if err := errors.Join(errs...); err != nil {
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

// absent is err, unless it says that what was to be deleted is not there.
func absent(err error) error {
	if apierrors.IsNotFound(err) {
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
