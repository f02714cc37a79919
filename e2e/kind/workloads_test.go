package kind

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
)

// TestNoProxy: kube-proxy is off the machine when its controller has seen that
// it is to go, and its pod is gone.
func TestNoProxy(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"k8s-app": "kube-proxy"}
	set := func(observed int64) runtime.Object {
		return &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Name: "kube-proxy", Namespace: metav1.NamespaceSystem, Generation: 2},
			Spec:       appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}},
			Status:     appsv1.DaemonSetStatus{ObservedGeneration: observed},
		}
	}
	pod := func(name string, labels map[string]string) runtime.Object {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem, Labels: labels}}
	}
	for name, c := range map[string]struct {
		objects []runtime.Object
		gone    bool
	}{
		"not yet seen":     {[]runtime.Object{set(1)}, false},
		"the pod is there": {[]runtime.Object{set(2), pod("kube-proxy-x", labels)}, false},
		"gone":             {[]runtime.Object{set(2), pod("etcd", nil)}, true},
		"without one":      {nil, true},
	} {
		p := &plane{kube: fake.NewClientset(c.objects...)}
		if gone, err := p.noProxy(t.Context()); gone != c.gone || err != nil {
			t.Errorf("%s: gone is %t, %v; want %t", name, gone, err, c.gone)
		}
	}
}
