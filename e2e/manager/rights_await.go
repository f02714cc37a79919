package manager

import (
	"context"
	"fmt"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// rightsPeriod is how often the API server is asked whether it knows of a change of roles.
const rightsPeriod = 10 * time.Millisecond

// awaitRights returns when the API server grants, or refuses, all of the rights to the CCM.
func awaitRights(ctx context.Context, kube kubernetes.Interface, rights []right, granted bool) error {
	tick := time.NewTicker(rightsPeriod)
	defer tick.Stop()
	for _, r := range rights {
		for {
			allowed, err := isAllowed(ctx, kube, r)
			if err != nil {
				return fmt.Errorf("ask whether the cloud controller manager may %s: %w", r, err)
			}
			if allowed == granted {
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("wait for the API server to know that the cloud controller manager may %s (%t): %w", r, granted, ctx.Err())
			}
		}
	}
	return nil
}

func isAllowed(ctx context.Context, kube kubernetes.Interface, r right) (bool, error) {
	resource, sub, _ := strings.Cut(r.resource, "/")
	answer, err := kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User:   "system:serviceaccount:" + ccmNamespace + ":" + ccmServiceAccount,
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + ccmNamespace, "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: ccmNamespace, Group: r.group, Resource: resource, Subresource: sub, Verb: r.verb, Name: r.name,
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}
