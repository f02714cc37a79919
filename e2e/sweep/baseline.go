package sweep

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Baseline is what a control plane has at the start, which no reset takes:
// namespaces of its own, leases, and perhaps a Node of its own.
type Baseline struct {
	objects map[types.UID]bool
	nodes   []string
}

// ReadBaseline reads what a control plane has now.
func ReadBaseline(ctx context.Context, kube kubernetes.Interface) (*Baseline, error) {
	b := &Baseline{objects: map[types.UID]bool{}}
	spaces, err := kube.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("read what the control plane began with: %w", err)
	}
	for _, ns := range spaces.Items {
		b.objects[ns.UID] = true
	}
	nodes, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("read what the control plane began with: %w", err)
	}
	for _, node := range nodes.Items {
		b.objects[node.UID] = true
		b.nodes = append(b.nodes, node.Name)
	}
	leases, err := kube.CoordinationV1().Leases(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("read what the control plane began with: %w", err)
	}
	for _, lease := range leases.Items {
		b.objects[lease.UID] = true
	}
	return b, nil
}

// strayPods selects the pods that are bound to a Node that the control plane
// did not begin with. Those of the control plane's own namespaces, such as
// kube-proxy's, would else wait for the garbage collector when the Nodes are gone.
func (b *Baseline) strayPods() metav1.ListOptions {
	bound := []fields.Selector{fields.OneTermNotEqualSelector("spec.nodeName", "")}
	for _, node := range b.nodes {
		bound = append(bound, fields.OneTermNotEqualSelector("spec.nodeName", node))
	}
	return metav1.ListOptions{FieldSelector: fields.AndSelectors(bound...).String()}
}
