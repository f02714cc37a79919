package existing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// maxNodes is how many Nodes a cluster for trying things has at most.
const maxNodes = 5

// localProviders are the schemes of providerIDs that tools for clusters on one machine give.
var localProviders = []string{"kind", "k3s", "k3d", "kwok", "minikube", "kubemark"}

// inspect asks the cluster whether a CCM under test could do harm there. It
// answers Invalid with everything that it found.
func (t target) inspect(ctx context.Context, kube kubernetes.Interface) error {
	var reasons []string
	for _, look := range []func(context.Context, kubernetes.Interface) ([]string, error){
		refusedRights, refusedNodes, refusedServices, refusedCCM,
	} {
		found, err := look(ctx, kube)
		if err != nil {
			return simcloud.Errorf(simcloud.Unavailable, "backend/existing", "look at the cluster of the context %q: %w", t.context, err)
		}
		reasons = append(reasons, found...)
	}
	return invalidContext(t.context, reasons...)
}

func refusedRights(ctx context.Context, kube kubernetes.Interface) ([]string, error) {
	all := &authorizationv1.ResourceAttributes{Group: "*", Resource: "*", Verb: "*"}
	answer, err := kube.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: all},
	}, metav1.CreateOptions{})
	if err != nil || answer.Status.Allowed {
		return nil, err
	}
	return []string{"gives no rights of an administrator: they are needed to make Nodes and roles, and to remove them"}, nil
}

func refusedNodes(ctx context.Context, kube kubernetes.Interface) ([]string, error) {
	list, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var reasons []string
	if n := len(list.Items); n > maxNodes {
		reasons = append(reasons, fmt.Sprintf("is refused: it has %d Nodes, and a cluster for trying things has %d at most", n, maxNodes))
	}
	for i := range list.Items {
		if reason := refusedNode(&list.Items[i]); reason != "" {
			reasons = append(reasons, fmt.Sprintf("is refused: the Node %s %s", list.Items[i].Name, reason))
		}
	}
	return reasons, nil
}

// refusedNode says why a CCM under test could take a Node for one of its own.
func refusedNode(node *corev1.Node) string {
	scheme, _, _ := strings.Cut(node.Spec.ProviderID, "://")
	_, left := node.Labels[LabelRun]
	switch {
	case left:
		return "is left from an earlier run: \"simcloud down\" removes it"
	case slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == cloudproviderapi.TaintExternalCloudProvider }):
		return "waits for a cloud controller manager"
	case scheme == "":
		return "has no providerID: a cloud controller manager would look for its VM, find none, and delete the Node"
	case !slices.Contains(localProviders, scheme):
		return fmt.Sprintf("is a machine of a cloud: its providerID is %s", node.Spec.ProviderID)
	case manager.MadeByRoutes(node):
		return "has its network from the routes of a cloud controller manager"
	}
	return ""
}

// refusedServices: a CCM takes every Service that has no class.
func refusedServices(ctx context.Context, kube kubernetes.Interface) ([]string, error) {
	list, err := kube.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var reasons []string
	for _, s := range list.Items {
		if s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.LoadBalancerClass == nil {
			reasons = append(reasons, fmt.Sprintf("is refused: the cloud controller manager under test would take the Service %s/%s for its own, "+
				"since that has the type LoadBalancer and no class", s.Namespace, s.Name))
		}
	}
	return reasons, nil
}

// refusedCCM: two cloud controller managers would work against each other, and
// their roles have the same names.
func refusedCCM(ctx context.Context, kube kubernetes.Interface) ([]string, error) {
	const name = "cloud-controller-manager"
	var reasons []string
	_, err := kube.CoreV1().ServiceAccounts(metav1.NamespaceSystem).Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		reasons = append(reasons, "is refused: it has the ServiceAccount kube-system/"+name+", so that a cloud controller manager works there")
	} else if !apierrors.IsNotFound(err) {
		return nil, err
	}
	_, err = kube.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		reasons = append(reasons, "is refused: it has the Lease kube-system/"+name+", so that a cloud controller manager works there")
	} else if !apierrors.IsNotFound(err) {
		return nil, err
	}
	return reasons, nil
}
