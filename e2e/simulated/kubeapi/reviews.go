package kubeapi

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// reviewREST is what all reviews have: they are answered, and not kept.
type reviewREST struct{}

// NamespaceScoped reports that reviews have no namespace.
func (reviewREST) NamespaceScoped() bool { return false }

// Destroy has nothing to do.
func (reviewREST) Destroy() {}

// tokenReviewREST says who a token is of.
type tokenReviewREST struct{ reviewREST }

// New makes an empty review.
func (tokenReviewREST) New() runtime.Object { return &authenticationv1.TokenReview{} }

// GetSingularName is the name of one.
func (tokenReviewREST) GetSingularName() string { return "tokenreview" }

// Create answers a review.
func (tokenReviewREST) Create(ctx context.Context, object runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	review := object.(*authenticationv1.TokenReview).DeepCopy()
	if review.Spec.Token == "" {
		return nil, apierrors.NewBadRequest("token is required for TokenReview in authentication")
	}
	who, known := stateOf(ctx).who(review.Spec.Token)
	if !known {
		review.Status = authenticationv1.TokenReviewStatus{Error: "[invalid bearer token, token lookup failed]"}
		return review, nil
	}
	review.Status = authenticationv1.TokenReviewStatus{
		Authenticated: true, User: userInfo(who), Audiences: []string{audience},
	}
	return review, nil
}

func userInfo(who user.Info) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: who.GetName(), UID: who.GetUID(), Groups: who.GetGroups()}
}

// selfReviewREST says who the caller is.
type selfReviewREST struct{ reviewREST }

// New makes an empty review.
func (selfReviewREST) New() runtime.Object { return &authenticationv1.SelfSubjectReview{} }

// GetSingularName is the name of one.
func (selfReviewREST) GetSingularName() string { return "selfsubjectreview" }

// Create answers a review.
func (selfReviewREST) Create(ctx context.Context, _ runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	who, _ := request.UserFrom(ctx)
	review := &authenticationv1.SelfSubjectReview{Status: authenticationv1.SelfSubjectReviewStatus{UserInfo: userInfo(who)}}
	review.CreationTimestamp = metav1.Now()
	return review, nil
}

// accessReviewREST says what a user may do.
type accessReviewREST struct{ reviewREST }

// New makes an empty review.
func (accessReviewREST) New() runtime.Object { return &authorizationv1.SubjectAccessReview{} }

// GetSingularName is the name of one.
func (accessReviewREST) GetSingularName() string { return "subjectaccessreview" }

// Create answers a review.
func (accessReviewREST) Create(ctx context.Context, object runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	review := object.(*authorizationv1.SubjectAccessReview).DeepCopy()
	if errs := validateAccess(review.Spec); len(errs) > 0 {
		return nil, apierrors.NewInvalid(authorizationv1.SchemeGroupVersion.WithKind("").GroupKind(), "", errs)
	}
	who := &user.DefaultInfo{Name: review.Spec.User, Groups: review.Spec.Groups, UID: review.Spec.UID}
	review.Status = reviewed(ctx, who, review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return review, nil
}

func validateAccess(spec authorizationv1.SubjectAccessReviewSpec) (errs field.ErrorList) {
	if (spec.ResourceAttributes == nil) == (spec.NonResourceAttributes == nil) {
		errs = append(errs, field.Invalid(field.NewPath("spec"), nil, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	if spec.User == "" && len(spec.Groups) == 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "user"), "", "at least one of user or group must be specified"))
	}
	return errs
}

// selfAccessReviewREST says what the caller may do.
type selfAccessReviewREST struct{ reviewREST }

// New makes an empty review.
func (selfAccessReviewREST) New() runtime.Object { return &authorizationv1.SelfSubjectAccessReview{} }

// GetSingularName is the name of one.
func (selfAccessReviewREST) GetSingularName() string { return "selfsubjectaccessreview" }

// Create answers a review.
func (selfAccessReviewREST) Create(ctx context.Context, object runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	review := object.(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
	who, _ := request.UserFrom(ctx)
	review.Status = reviewed(ctx, who, review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return review, nil
}

// reviewed is whether a user may do something.
func reviewed(ctx context.Context, who user.Info, resource *authorizationv1.ResourceAttributes, path *authorizationv1.NonResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	a := authorizer.AttributesRecord{User: who}
	if resource != nil {
		a.ResourceRequest, a.Verb, a.Namespace, a.APIGroup = true, resource.Verb, resource.Namespace, resource.Group
		a.Resource, a.Subresource, a.Name = resource.Resource, resource.Subresource, resource.Name
	} else if path != nil {
		a.Verb, a.Path = path.Verb, path.Path
	}
	decision, reason, err := rbac{}.Authorize(ctx, a)
	status := authorizationv1.SubjectAccessReviewStatus{Allowed: decision == authorizer.DecisionAllow, Reason: reason}
	if err != nil {
		status.EvaluationError = err.Error()
	}
	return status
}
