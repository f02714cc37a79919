package kubeapi

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
)

// identity is who a token is of, and until when.
type identity struct {
	user.DefaultInfo
	expires time.Time // zero for never
}

// who returns the user of a token; false when it is unknown, or over.
func (s *state) who(token string) (user.Info, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, there := s.tokens[token]
	if !there || !found.expires.IsZero() && !time.Now().Before(found.expires) {
		return nil, false
	}
	info := found.DefaultInfo
	return &info, true
}

// issue makes a token.
func (s *state) issue(who identity) (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token = fmt.Sprintf("paper-token-%d-of-%s", len(s.tokens)+1, who.Name)
	s.tokens[token] = who
	return token
}

// tokenREST serves the subresource token of ServiceAccounts.
type tokenREST struct{ accounts *registry.Store }

var (
	_ rest.NamedCreater             = tokenREST{}
	_ rest.GroupVersionKindProvider = tokenREST{}
)

// New makes an empty request.
func (tokenREST) New() runtime.Object { return &authenticationv1.TokenRequest{} }

// Destroy has nothing to do.
func (tokenREST) Destroy() {}

// GroupVersionKind is that of the request.
func (tokenREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return authenticationv1.SchemeGroupVersion.WithKind("TokenRequest")
}

// defaultTokenLife is how long a token is good, unless the request says.
const defaultTokenLife = time.Hour

// audience is that of tokens for the API server.
const audience = "https://kubernetes.default.svc"

// Create makes a token of the account.
func (t tokenREST) Create(ctx context.Context, name string, object runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	found, err := t.accounts.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	account, request := found.(*corev1.ServiceAccount), object.(*authenticationv1.TokenRequest).DeepCopy()
	seconds := int64(defaultTokenLife / time.Second)
	if request.Spec.ExpirationSeconds != nil {
		seconds = *request.Spec.ExpirationSeconds
	}
	const shortest = 600
	if seconds < shortest {
		return nil, apierrors.NewInvalid(authenticationv1.SchemeGroupVersion.WithKind("TokenRequest").GroupKind(), "", field.ErrorList{
			field.Invalid(field.NewPath("spec", "expirationSeconds"), seconds, "may not specify a duration less than 10 minutes"),
		})
	}
	request.Spec.ExpirationSeconds = &seconds
	if len(request.Spec.Audiences) == 0 {
		request.Spec.Audiences = []string{audience}
	}
	request.Name, request.Namespace, request.UID, request.CreationTimestamp = account.Name, account.Namespace, account.UID, metav1.Now()
	expires := time.Now().Add(time.Duration(seconds) * time.Second)
	request.Status = authenticationv1.TokenRequestStatus{
		Token: stateOf(ctx).issue(identity{accountInfo(account), expires}), ExpirationTimestamp: metav1.NewTime(expires),
	}
	return request, nil
}

func accountInfo(account *corev1.ServiceAccount) user.DefaultInfo {
	return user.DefaultInfo{
		Name: serviceaccount.MakeUsername(account.Namespace, account.Name), UID: string(account.UID),
		Groups: append(serviceaccount.MakeGroupNames(account.Namespace), user.AllAuthenticated),
	}
}
