package manager

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// right is that a verb may be done on a resource.
type right struct{ group, resource, verb, name string }

func (r right) String() string { return r.verb + " " + r.resource }

// rights are what was taken from a CCM, and of which roles.
type rights struct {
	mu        sync.Mutex  // guards what follows
	whole     []boundRole // those that Forbid has changed, as they were before
	forbidden []right     // what Forbid has taken
}

// without splits rules into what is left when the verbs on the resources are
// taken out, and what was taken. "*" stands for all.
func without(rules []rbacv1.PolicyRule, verbs, resources []string) (left []rbacv1.PolicyRule, taken []right) {
	named := func(list []string, name string) bool {
		return slices.Contains(list, name) || slices.Contains(list, "*")
	}
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			one := *rule.DeepCopy()
			one.Resources = []string{resource}
			one.Verbs = slices.DeleteFunc(one.Verbs, func(verb string) bool {
				if !named(resources, resource) || !named(verbs, verb) {
					return false
				}
				for _, group := range rule.APIGroups {
					taken = append(taken, right{group, resource, verb, strings.Join(rule.ResourceNames[:min(1, len(rule.ResourceNames))], "")})
				}
				return true
			})
			if len(one.Verbs) > 0 {
				left = append(left, one)
			}
		}
		if len(rule.Resources) == 0 {
			left = append(left, rule)
		}
	}
	return left, taken
}

// Forbid takes verbs on resources, such as nodes or nodes/status, out of the
// roles of the CCM, and returns when the API server refuses them. "*" stands for
// all. What was forbidden before stays so. It answers Invalid when the CCM has none of these rights.
func (c *CCM) Forbid(ctx context.Context, verbs, resources []string) error {
	roles, err := ccmRoles(ctx, c.deps.Kube.Client)
	if err != nil {
		return err
	}
	var all []right
	for _, role := range roles {
		left, taken := without(role.rules, verbs, resources)
		if len(taken) == 0 {
			continue
		}
		c.remember(role)
		if err := role.set(ctx, c.deps.Kube.Client, left); err != nil {
			return err
		}
		all = append(all, taken...)
	}
	if len(all) == 0 {
		return simcloud.InvalidFields("ccm", []simcloud.FieldError{{Field: "forbid", Detail: fmt.Sprintf(
			"the cloud controller manager has no right to %s on %s that could be taken", strings.Join(verbs, ", "), strings.Join(resources, ", "))}})
	}
	c.rights.mu.Lock()
	c.rights.forbidden = append(c.rights.forbidden, all...)
	c.rights.mu.Unlock()
	return awaitRights(ctx, c.deps.Kube.Client, all, false)
}

// remember keeps a role as it was before it was first changed.
func (c *CCM) remember(role boundRole) {
	c.rights.mu.Lock()
	defer c.rights.mu.Unlock()
	if !slices.ContainsFunc(c.rights.whole, role.same) {
		c.rights.whole = append(c.rights.whole, role)
	}
}

// Allow gives the CCM all rights back that Forbid has taken, and returns when
// the API server grants them. When it fails, it can be asked again.
func (c *CCM) Allow(ctx context.Context) error {
	c.rights.mu.Lock()
	whole, forbidden := c.rights.whole, c.rights.forbidden
	c.rights.mu.Unlock()
	for _, role := range whole {
		if err := role.set(ctx, c.deps.Kube.Client, role.rules); err != nil {
			return err
		}
	}
	if err := awaitRights(ctx, c.deps.Kube.Client, forbidden, true); err != nil {
		return err
	}
	c.rights.mu.Lock()
	defer c.rights.mu.Unlock()
	c.rights.whole, c.rights.forbidden = nil, nil
	return nil
}

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
			User:   User,
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
