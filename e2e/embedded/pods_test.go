package embedded_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

const podsNamespace = "pods"

// testPods runs a Deployment behind a Service, then deletes their namespace.
func (c *cluster) testPods(t *testing.T, nodes []string) {
	c.untaint(t, nodes)
	c.createWeb(t)
	took := waittest.For(t, "pods ready, each with an address of its node, all in the EndpointSlice", func(ctx context.Context) error {
		addrs, err := c.podAddresses(ctx)
		if err != nil {
			return err
		}
		return c.serves(ctx, addrs)
	})
	t.Logf("pods ready and in the EndpointSlice %.1f s after the Deployment", took.Seconds())

	if err := c.kube.CoreV1().Namespaces().Delete(t.Context(), podsNamespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	took = waittest.For(t, "namespace deleted", func(ctx context.Context) error {
		_, err := c.kube.CoreV1().Namespaces().Get(ctx, podsNamespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("still there: %w", err)
	})
	t.Logf("namespace with its pods deleted after %.1f s", took.Seconds())
}

// untaint does what a cloud controller manager does at last.
func (c *cluster) untaint(t *testing.T, nodes []string) {
	t.Helper()
	for _, name := range nodes {
		_, err := c.kube.CoreV1().Nodes().Patch(t.Context(), name, types.MergePatchType, []byte(`{"spec":{"taints":null}}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (c *cluster) createWeb(t *testing.T) {
	t.Helper()
	app := map[string]string{"app": "web"}
	_, err := c.kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: podsNamespace}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.kube.AppsV1().Deployments(podsNamespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](6),
			Selector: &metav1.LabelSelector{MatchLabels: app},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: app},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web:1"}}},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.kube.CoreV1().Services(podsNamespace).Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: app, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// podAddresses returns the addresses of the pods when all are ready, and each is in its node's pod CIDR.
func (c *cluster) podAddresses(ctx context.Context) (map[string]bool, error) {
	pods, err := c.kube.CoreV1().Pods(podsNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	addrs := map[string]bool{}
	for _, pod := range pods.Items {
		if pod.Status.Phase != corev1.PodRunning {
			return nil, fmt.Errorf("pod %s is %s", pod.Name, pod.Status.Phase)
		}
		node, err := c.node(ctx, pod.Spec.NodeName)
		if err != nil {
			return nil, err
		}
		addr, err := netip.ParseAddr(pod.Status.PodIP)
		if err != nil {
			return nil, fmt.Errorf("pod %s: %w", pod.Name, err)
		}
		if cidr := netip.MustParsePrefix(node.Spec.PodCIDR); !cidr.Contains(addr) {
			return nil, fmt.Errorf("pod %s has %s, which is not in %s of its node", pod.Name, addr, cidr)
		}
		addrs[addr.String()] = true
	}
	if len(addrs) != 6 {
		return nil, fmt.Errorf("%d pods have %d addresses, and 6 should have 6", len(pods.Items), len(addrs))
	}
	return addrs, nil
}

// serves complains unless the Service's slice has exactly these addresses, all ready.
func (c *cluster) serves(ctx context.Context, addrs map[string]bool) error {
	slices, err := c.kube.DiscoveryV1().EndpointSlices(podsNamespace).List(ctx, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=web"})
	if err != nil {
		return err
	}
	found := 0
	for _, slice := range slices.Items {
		for _, e := range slice.Endpoints {
			if !addrs[e.Addresses[0]] || !ptr.Deref(e.Conditions.Ready, false) {
				return fmt.Errorf("endpoint %v", e)
			}
			found++
		}
	}
	if found != len(addrs) {
		return fmt.Errorf("%d endpoints for %d pods", found, len(addrs))
	}
	return nil
}
