package main

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// TestNodeIP: a Node begins with the addresses that its kubelet was told.
func TestNodeIP(t *testing.T) {
	t.Parallel()
	client := toldClient{fake.NewClientset(), []string{"10.0.0.1", "fd00::1"}}
	asked := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}
	node, err := client.CoreV1().Nodes().Create(context.Background(), asked, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}, {Type: corev1.NodeInternalIP, Address: "fd00::1"}, {Type: corev1.NodeHostName, Address: "node-1"},
	}
	if diff := cmp.Diff(want, node.Status.Addresses); diff != "" {
		t.Errorf("wrong addresses (-want +got):\n%s", diff)
	}
	if got := node.Annotations["alpha.kubernetes.io/provided-node-ip"]; got != "10.0.0.1,fd00::1" {
		t.Errorf("the annotation is %q", got)
	}
	if asked.Annotations != nil || asked.Status.Addresses != nil {
		t.Errorf("the kubelet's own Node has changed: %+v", asked)
	}
}
