package machine

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// quick is the pace at which a hollow node reports often.
func quick() Pace { return Pace{Heartbeat: time.Millisecond, Lease: time.Second} }

func startTestHollow(t *testing.T, kube kubernetes.Interface, spec HollowSpec) Node {
	t.Helper()
	n, err := StartHollow(t.Context(), kube, spec, quick(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Kill() })
	return n
}

// readiness is the condition Ready of the node n.
func readiness(kube kubernetes.Interface) corev1.NodeCondition {
	node, err := kube.CoreV1().Nodes().Get(context.Background(), "n", metav1.GetOptions{})
	if err != nil {
		return corev1.NodeCondition{}
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c
		}
	}
	return corev1.NodeCondition{}
}

// leaseTime is when the node n last renewed its lease.
func leaseTime(kube kubernetes.Interface) time.Time {
	lease, err := kube.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(context.Background(), "n", metav1.GetOptions{})
	if err != nil || lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Time
}

func TestHollowNodeRegistersAsAKubeletDoes(t *testing.T) {
	t.Parallel()
	spec := HollowSpec{
		Spec: Spec{Name: "Node-1", Labels: map[string]string{"pool": "x"}, NodeIPs: []string{"10.0.0.1", "fd00::1"}}, ProviderID: "kubemark://Node-1",
		PodCIDRs: []string{"10.244.9.0/24", "fd00:10:244:9::/64"},
	}
	node := newHollowNodeObject(spec, time.Now())
	type view struct {
		Name, Provider, NodeIP string
		Labels                 map[string]string
		Taints                 []corev1.Taint
		PodCIDR                string
		PodCIDRs               []string
		Addresses              []corev1.NodeAddress
		Ready                  corev1.ConditionStatus
	}
	want := view{
		Name: "Node-1", Provider: "kubemark://Node-1", NodeIP: "10.0.0.1,fd00::1",
		Labels: map[string]string{
			"pool": "x", "kubernetes.io/hostname": "Node-1", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
			"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
		},
		Taints:  []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: "NoSchedule"}},
		PodCIDR: "10.244.9.0/24", PodCIDRs: []string{"10.244.9.0/24", "fd00:10:244:9::/64"},
		Addresses: []corev1.NodeAddress{
			{Type: "InternalIP", Address: "10.0.0.1"}, {Type: "InternalIP", Address: "fd00::1"}, {Type: "Hostname", Address: "Node-1"},
		},
		Ready: corev1.ConditionFalse,
	}
	got := view{
		Name: node.Name, Provider: node.Spec.ProviderID, NodeIP: node.Annotations["alpha.kubernetes.io/provided-node-ip"],
		Labels: node.Labels, Taints: node.Spec.Taints, PodCIDR: node.Spec.PodCIDR, PodCIDRs: node.Spec.PodCIDRs, Addresses: node.Status.Addresses,
		Ready: node.Status.Conditions[len(node.Status.Conditions)-1].Status,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("node (-want +got):\n%s", diff)
	}
}

// TestInitializedHollowNode: a CCM that looks before the first heartbeat must not delete a Node that was initialised before.
func TestInitializedHollowNode(t *testing.T) {
	t.Parallel()
	node := newHollowNodeObject(HollowSpec{Spec: Spec{Name: "n"}, Initialized: true}, time.Now())
	if len(node.Spec.Taints) > 0 {
		t.Errorf("taints %v, want none", node.Spec.Taints)
	}
	ready := node.Status.Conditions[len(node.Status.Conditions)-1]
	if ready.Type != corev1.NodeReady || ready.Status != corev1.ConditionTrue {
		t.Errorf("condition %s=%s before the first heartbeat, want Ready=True", ready.Type, ready.Status)
	}
}

func TestHollowNodeBecomesReadyAndRenewsItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kube := fake.NewClientset()
		startTestHollow(t, kube, HollowSpec{Spec: Spec{Name: "n"}})
		waittest.For(t, "the node is ready", func() bool { return readiness(kube).Reason == "KubeletReady" })
		waittest.For(t, "there is a lease", func() bool { return !leaseTime(kube).IsZero() })
		first := leaseTime(kube)
		waittest.For(t, "the lease is renewed", func() bool { return leaseTime(kube).After(first) })
	})
}

// TestHollowNodeReportsChanges: a healthy node renews its lease and writes
// nothing else; one that was marked unreachable reports that it is ready.
func TestHollowNodeReportsChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kube := fake.NewClientset()
		startTestHollow(t, kube, HollowSpec{Spec: Spec{Name: "n"}})
		patches := func() (n int) {
			for _, action := range kube.Actions() {
				if action.Matches("patch", "nodes/status") {
					n++
				}
			}
			return n
		}
		first := leaseTime(kube)
		for range 3 {
			waittest.For(t, "the lease is renewed", func() bool { return leaseTime(kube).After(first) })
			first = leaseTime(kube)
		}
		if got := patches(); got != 1 {
			t.Errorf("the status was reported %d times, want once", got)
		}
		node, err := kube.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range node.Status.Conditions {
			node.Status.Conditions[i].Status = corev1.ConditionUnknown
		}
		if _, err := kube.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		waittest.For(t, "the node is ready again", func() bool { return readiness(kube).Status == corev1.ConditionTrue })
		if err := kube.CoordinationV1().Leases(corev1.NamespaceNodeLease).Delete(t.Context(), "n", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		waittest.For(t, "there is a lease again", func() bool { return !leaseTime(kube).IsZero() })
	})
}

func TestFrozenHollowNodeIsSilentUntilItIsThawed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kube := fake.NewClientset()
		n := startTestHollow(t, kube, HollowSpec{Spec: Spec{Name: "n"}})
		waittest.For(t, "there is a lease", func() bool { return !leaseTime(kube).IsZero() })
		if err := n.Freeze(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // at most the heartbeat under way was still to come
		calls := len(kube.Actions())
		time.Sleep(time.Minute)
		if now := len(kube.Actions()); now != calls {
			t.Errorf("a frozen node has made %d calls", now-calls)
		}
		if err := n.Thaw(); err != nil {
			t.Fatal(err)
		}
		waittest.For(t, "it reports again", func() bool { return len(kube.Actions()) > calls })
	})
}

func TestHollowNodeNeverRegistersAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kube := fake.NewClientset()
		n := startTestHollow(t, kube, HollowSpec{Spec: Spec{Name: "n"}})
		waittest.For(t, "the node is ready", func() bool { return readiness(kube).Status == corev1.ConditionTrue })
		if err := kube.CoreV1().Nodes().Delete(t.Context(), "n", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		hollow := n.(*hollowNode)
		ctx, cancel := waittest.Context(t)
		defer cancel()
		hollow.heartbeats(ctx) // another round of heartbeats ends, because the Node is gone
		if _, err := kube.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("get the node: %v, want NotFound", err)
		}
		other := newHollowNodeObject(HollowSpec{Spec: Spec{Name: "n"}}, time.Now())
		other.UID = "another"
		if _, err := kube.CoreV1().Nodes().Create(t.Context(), other, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		hollow.heartbeats(ctx)
		if ctx.Err() != nil {
			t.Error("the heartbeats go on without the Node")
		}
		if got := readiness(kube).Status; got != corev1.ConditionFalse {
			t.Errorf("a node of the same name became ready (%s) by the old one's heartbeat", got)
		}
		select {
		case <-n.Done():
			t.Error("the node ended with its Node; a kubelet goes on")
		default:
		}
	})
}

func TestHollowNodeRunsPodsOnPaper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kube := fake.NewClientset()
		node := newHollowNodeObject(HollowSpec{Spec: Spec{Name: "n"}}, time.Now())
		node.Spec.PodCIDR = "10.244.3.0/24"
		node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.7"}}
		if _, err := kube.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		pod := func(name, on string) *corev1.Pod {
			return &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name)},
				Spec:       corev1.PodSpec{NodeName: on, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
				Status:     corev1.PodStatus{Phase: corev1.PodPending},
			}
		}
		for _, p := range []*corev1.Pod{pod("mine", "n"), pod("other", "elsewhere")} {
			if _, err := kube.CoreV1().Pods("default").Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		startTestHollow(t, kube, HollowSpec{Spec: Spec{Name: "n"}})
		get := func(name string) *corev1.Pod {
			p, err := kube.CoreV1().Pods("default").Get(context.Background(), name, metav1.GetOptions{})
			if err != nil {
				return &corev1.Pod{}
			}
			return p
		}
		waittest.For(t, "the pod runs", func() bool { return get("mine").Status.Phase == corev1.PodRunning })
		status := get("mine").Status
		if status.PodIP != "10.244.3.2" || status.HostIP != "10.0.0.7" || !status.ContainerStatuses[0].Ready {
			t.Errorf("status = %+v, want an address of the node's pod CIDR, the node's address, and a ready container", status)
		}
		if got := get("other").Status.Phase; got != corev1.PodPending {
			t.Errorf("the pod of another node is %s", got)
		}
		deleted := get("mine")
		deleted.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		if _, err := kube.CoreV1().Pods("default").Update(t.Context(), deleted, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		waittest.For(t, "the deletion is confirmed", func() bool { return get("mine").Name == "" })
	})
}

func TestPodAddressesAreTheirOwn(t *testing.T) {
	t.Parallel()
	a := podAddresses{used: map[types.UID]netip.Addr{}}
	seen := map[string]bool{}
	for i := range 6 {
		ip := a.get(types.UID(fmt.Sprint(i)), "10.244.0.0/29")
		if ip == "" || seen[ip] {
			t.Fatalf("pod %d got %q, after %v", i, ip, seen)
		}
		seen[ip] = true
	}
	if ip := a.get("one-more", "10.244.0.0/29"); ip != "" {
		t.Errorf("a full node gave %s", ip)
	}
	again := a.get("3", "10.244.0.0/29")
	delete(a.used, "3")
	if ip := a.get("new", "10.244.0.0/29"); ip != again {
		t.Errorf("got %s, want the freed %s", ip, again)
	}
	if ip := a.get("x", ""); ip != "" {
		t.Errorf("a node without a CIDR gave %s", ip)
	}
}
