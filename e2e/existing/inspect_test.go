package existing

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func kindNode(name string, change func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{ProviderID: "kind://docker/mine/" + name}}
	change(node)
	return node
}

func unchanged(*corev1.Node) {}

func loadBalancer(class *string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, LoadBalancerClass: class},
	}
}

func TestWhatACCMCouldHarm(t *testing.T) {
	t.Parallel()
	ccm := metav1.ObjectMeta{Namespace: "kube-system", Name: "cloud-controller-manager"}
	class := "example.org/lb"
	var six []runtime.Object
	for i := range 6 {
		six = append(six, kindNode(fmt.Sprint("n", i), unchanged))
	}
	for _, c := range []struct {
		refused string
		objects []runtime.Object
	}{
		{"", nil},
		{"", []runtime.Object{kindNode("a", unchanged), kindNode("b", unchanged), loadBalancer(&class)}},
		{"it has 6 Nodes", six},
		{"has no providerID", []runtime.Object{kindNode("a", func(n *corev1.Node) { n.Spec.ProviderID = "" })}},
		{"is aws:///eu/i-1", []runtime.Object{kindNode("a", func(n *corev1.Node) { n.Spec.ProviderID = "aws:///eu/i-1" })}},
		{"is simcloud://region-1/i-1", []runtime.Object{kindNode("a", func(n *corev1.Node) { n.Spec.ProviderID = "simcloud://region-1/i-1" })}},
		{"waits for a cloud controller manager", []runtime.Object{kindNode("a", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized", Effect: corev1.TaintEffectNoSchedule}}
		})}},
		{"routes of a cloud controller manager", []runtime.Object{kindNode("a", func(n *corev1.Node) {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionFalse, Reason: "RouteCreated"}}
		})}},
		{"left from an earlier run", []runtime.Object{kindNode("a", func(n *corev1.Node) { n.Labels = map[string]string{LabelRun: "old"} })}},
		{"would take the Service shop/web", []runtime.Object{loadBalancer(nil)}},
		{"has the ServiceAccount", []runtime.Object{&corev1.ServiceAccount{ObjectMeta: ccm}}},
		{"has the Lease", []runtime.Object{&coordinationv1.Lease{ObjectMeta: ccm}}},
	} {
		err := inspected(t, true, c.objects)
		if c.refused == "" && err != nil || c.refused != "" && (!errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("want %q, got %v", c.refused, err)
		}
	}
	if err := inspected(t, false, nil); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "no rights of an administrator") {
		t.Errorf("without rights: %v", err)
	}
	if err := inspected(t, false, []runtime.Object{loadBalancer(nil)}); err == nil || !strings.Contains(err.Error(), "administrator") || !strings.Contains(err.Error(), "shop/web") {
		t.Errorf("it does not say all at once: %v", err)
	}
}

func inspected(t *testing.T, admin bool, objects []runtime.Object) error {
	kube := fake.NewClientset(objects...)
	kube.PrependReactor("create", "selfsubjectaccessreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &authorizationv1.SelfSubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: admin}}, nil
	})
	return target{context: "mine"}.inspect(t.Context(), kube)
}
