package sweep

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Mark is a label that says who made an object.
type Mark struct{ Key, Value string }

// Selector chooses the objects that carry the mark.
func (m Mark) Selector() string { return m.Key + "=" + m.Value }

// On reports whether labels have the mark.
func (m Mark) On(labels map[string]string) bool { return m.Value != "" && labels[m.Key] == m.Value }

// Marked removes from a cluster all that carries the mark, whatever
// finalizers guard it, with what namespaces that carry it hold, and the pods on such
// Nodes. It returns when nothing of it is left.
func Marked(ctx context.Context, access *rest.Config, mark Mark) error {
	access = rest.CopyConfig(access)
	access.QPS, access.Burst = -1, -1 // no limit: it asks for each kind of objects
	kube, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	s, err := New(access, kube, &Baseline{})
	if err != nil {
		return err
	}
	wide, err := clusterWide(kube)
	if err != nil {
		return err
	}
	return untilNothing(ctx, (&markedSweeper{Sweeper: s, wide: wide, mark: mark}).sweep)
}

// markedSweeper removes what carries a mark.
type markedSweeper struct {
	*Sweeper
	wide []schema.GroupVersionResource // what has no namespace
	mark Mark
}

// clusterWide returns the kinds of objects without a namespace, but for Nodes
// and namespaces, which go in their own way.
func clusterWide(kube kubernetes.Interface) ([]schema.GroupVersionResource, error) {
	lists, err := kube.Discovery().ServerPreferredResources()
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its resources: %w", err)
	}
	deletable := discovery.SupportsAllVerbs{Verbs: []string{"list", "delete"}}
	wide := discovery.FilteredBy(discovery.ResourcePredicateFunc(func(group string, r *metav1.APIResource) bool {
		return !r.Namespaced && r.Name != "nodes" && r.Name != "namespaces" && deletable.Match(group, r)
	}), lists)
	found, err := discovery.GroupVersionResources(wide)
	if err != nil {
		return nil, fmt.Errorf("read the cluster's resources: %w", err)
	}
	var all []schema.GroupVersionResource
	for gvr := range found {
		all = append(all, gvr)
	}
	return all, nil
}

// sweep removes everything once and returns what was still there. Nodes go
// last: what else there is of a run can be found without them.
func (s *markedSweeper) sweep(ctx context.Context) (left []string, err error) {
	spaces, err := s.kube.CoreV1().Namespaces().List(ctx, s.marked())
	if err != nil {
		return nil, err
	}
	for _, ns := range spaces.Items {
		left = append(left, "namespace/"+ns.Name)
		if err := s.sweepNamespace(ctx, ns); err != nil {
			return left, err
		}
	}
	for _, resource := range append(s.namespaced, s.wide...) {
		names, err := s.remove(ctx, resource, metav1.NamespaceAll, s.marked())
		left = append(left, names...)
		if err != nil {
			return left, err
		}
	}
	if err := s.removePods(ctx); err != nil {
		return left, err
	}
	nodes, err := s.remove(ctx, nodesGVR, "", s.marked())
	return append(left, nodes...), err
}

func (s *markedSweeper) marked() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: s.mark.Selector()}
}

// removePods removes the pods on the Nodes that go: also those that the
// cluster's own controllers have put there, which they make again elsewhere.
func (s *markedSweeper) removePods(ctx context.Context) error {
	nodes, err := s.kube.CoreV1().Nodes().List(ctx, s.marked())
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		there := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node.Name).String()}
		if _, err := s.remove(ctx, podsGVR, metav1.NamespaceAll, there); err != nil {
			return err
		}
	}
	return nil
}
