package observe_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stest "k8s.io/client-go/testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/observe"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

func node(name string, ready corev1.ConditionStatus, taints ...corev1.Taint) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.NodeSpec{ProviderID: "simcloud:///" + name, Taints: taints},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready, Reason: "KubeletNotReady", Message: strings.Repeat("x", 5000)}},
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}},
		},
	}
}

// event is one that an object has got, at a version of the cluster.
func event(version, name string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: name, Namespace: "default", ResourceVersion: version, CreationTimestamp: metav1.Unix(100, 0)},
		InvolvedObject: corev1.ObjectReference{Kind: "Service", Namespace: "default", Name: "web"},
		Type:           "Warning", Reason: name, Message: "no quota", Source: corev1.EventSource{Component: "service-controller"},
		FirstTimestamp: metav1.Unix(100, 0), LastTimestamp: metav1.Unix(200, 0), Count: 3,
	}
}

func service(kind corev1.ServiceType) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "u-1"},
		Spec:       corev1.ServiceSpec{Type: kind, Ports: []corev1.ServicePort{{Port: 80, NodePort: 30080, Protocol: "TCP"}}},
		Status:     corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "203.0.113.1"}}}},
	}
}

// following is a cluster that a console shows.
type following struct {
	kube  *fake.Clientset
	shown *console.Cluster
}

// follow follows a cluster until the test ends; then no watch may be left.
func follow(t *testing.T, objects ...runtime.Object) following {
	t.Helper()
	f := following{fake.NewClientset(objects...), &console.Cluster{}}
	ctx, stop := context.WithCancel(context.Background())
	var watches sync.WaitGroup
	watches.Go(func() { observe.Follow(ctx, f.kube, f.shown) })
	t.Cleanup(func() { stop(); watches.Wait() })
	return f
}

// sees waits until what the console shows is as wanted.
func (f following) sees(t *testing.T, what string, is func(console.Changes) bool) {
	t.Helper()
	waittest.For(t, what, func() bool { return is(f.shown.Since(0)) })
}

// saw reports whether there is a record of a type.
func saw(changes console.Changes, want string) bool {
	return slices.ContainsFunc(changes.Records, func(r console.Record) bool { return fmt.Sprintf("%s %s/%s", r.Type, r.Kind, r.ID) == want })
}

// TestFollow: Nodes, the Services that want load balancers, and Events reach the console, bounded.
func TestFollow(t *testing.T) {
	t.Parallel()
	f := follow(t, node("node-1", corev1.ConditionFalse, corev1.Taint{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: "NoSchedule"}),
		service(corev1.ServiceTypeLoadBalancer), event("7", "After"), event("5", "Before"))
	f.sees(t, "all there is", func(c console.Changes) bool {
		return len(c.Nodes) == 1 && len(c.Services) == 1 && saw(c, "Warning service/default/web")
	})
	seen := f.shown.Since(0)
	if n := seen.Nodes[0]; n.State != "NotReady" || len(n.Message) > 1100 || fmt.Sprint(n.Taints) != "[node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule]" || n.ProviderID != "simcloud:///node-1" {
		t.Errorf("the Node is %.300v", n)
	}
	if s := seen.Services[0]; fmt.Sprint(s.Ports, s.Addresses) != "[80→30080/TCP] [203.0.113.1]" || s.UID != "u-1" {
		t.Errorf("the Service is %+v", s)
	}
	var reasons []string
	for _, r := range seen.Records {
		if r.Event != nil {
			reasons = append(reasons, fmt.Sprint(r.Event.Reason, r.Event.Count, r.Event.From, r.Time.Equal(time.Unix(200, 0))))
		}
	}
	if got := fmt.Sprint(reasons); got != "[Before3service-controllertrue After3service-controllertrue]" {
		t.Errorf("the Events are %s", got)
	}
	f.changes(t)
}

// changes: what changes in the cluster is shown.
func (f following) changes(t *testing.T) {
	t.Helper()
	core, ctx := f.kube.CoreV1(), t.Context()
	for _, err := range []error{
		second(core.Nodes().Update(ctx, node("node-1", corev1.ConditionTrue), metav1.UpdateOptions{})),
		second(core.Services("default").Update(ctx, service(corev1.ServiceTypeClusterIP), metav1.UpdateOptions{})),
		second(core.Events("default").Update(ctx, event("7", "After"), metav1.UpdateOptions{})), // as a watch brings it that begins again
		second(core.Events("default").Create(ctx, event("9", "Live"), metav1.CreateOptions{})),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f.sees(t, "the changes", func(c console.Changes) bool {
		return len(c.Services) == 0 && c.Nodes[0].State == "Ready" && saw(c, "changed node/node-1") && saw(c, "deleted service/default/web") &&
			slices.ContainsFunc(c.Records, func(r console.Record) bool { return r.Event != nil && r.Event.Reason == "Live" })
	})
	late := func(r console.Record) bool { return r.Event != nil && r.Event.Reason == "After" }
	records := f.shown.Since(0).Records
	if i := slices.IndexFunc(records, late); i < 0 || slices.ContainsFunc(records[i+1:], late) {
		t.Errorf("an Event that comes once more is shown %+v", records)
	}
	if err := core.Nodes().Delete(ctx, "node-1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	f.sees(t, "the Node is gone", func(c console.Changes) bool { return len(c.Nodes) == 0 && saw(c, "deleted node/node-1") })
}

func second[T any](_ T, err error) error { return err }

// TestFollowTrouble: why a cluster does not answer is shown.
func TestFollowTrouble(t *testing.T) {
	t.Parallel()
	f := following{fake.NewClientset(), &console.Cluster{}}
	f.kube.PrependReactor("list", "nodes", func(k8stest.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("connection refused")
	})
	ctx, stop := context.WithCancel(t.Context())
	var watches sync.WaitGroup
	watches.Go(func() { observe.Follow(ctx, f.kube, f.shown) })
	defer func() { stop(); watches.Wait() }()
	f.sees(t, "the trouble", func(c console.Changes) bool { return c.Trouble == "nodes: connection refused" })
}
