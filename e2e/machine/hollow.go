package machine

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// HollowSpec describes a hollow node: also shapes that a real kubelet would
// refuse. For other machines only the Spec counts.
type HollowSpec struct {
	Spec
	// ProviderID is what the node registers with; it cannot be changed later.
	ProviderID string
	// PodCIDRs are those that it registers with, as if they had been given
	// to it before: the controller manager gives a node without any one of one family.
	PodCIDRs []string
	// Initialized lets it register ready and without the taint that waits for a
	// CCM, as a Node that a CCM initialised before.
	Initialized bool
}

// Pace says how often a hollow node reports, and how long a report is good for.
type Pace struct{ Heartbeat, Lease time.Duration }

// hollowNode does what a kubelet does to the API, and nothing else: it
// registers its Node once, renews its Lease, reports its status, and says of
// each pod that it runs. It never registers again, even when its Node is deleted.
type hollowNode struct {
	kube  kubernetes.Interface
	spec  HollowSpec
	beat  time.Duration // between two heartbeats
	lease time.Duration // how long a heartbeat is good for
	log   *slog.Logger

	uid    types.UID
	held   *coordinationv1.Lease // as it was last seen; of the goroutine that reports
	stop   context.CancelFunc
	done   chan struct{}
	frozen gate
}

// StartHollow registers the Node and returns when that is done; the rest goes
// on until the node is stopped. A Node that is there already is taken over as
// it is, which is what a kubelet does when it restarts.
func StartHollow(ctx context.Context, kube kubernetes.Interface, spec HollowSpec, pace Pace, log *slog.Logger) (Node, error) {
	n := &hollowNode{
		kube: kube, spec: spec, beat: pace.Heartbeat, lease: pace.Lease,
		log: log.With("node", spec.Name), done: make(chan struct{}),
	}
	node, err := n.register(ctx)
	if err != nil {
		return nil, fmt.Errorf("register the hollow node %s: %w", spec.Name, err)
	}
	n.uid = node.UID
	// That a watch breaks when the node ends is no news.
	run, stop := context.WithCancel(klog.NewContext(context.Background(), klog.Logger{}))
	n.stop = stop
	var loops sync.WaitGroup
	loops.Go(func() { n.heartbeats(run) })
	loops.Go(func() { n.runPods(run) })
	go func() {
		loops.Wait()
		close(n.done)
	}()
	return n, nil
}

func (n *hollowNode) register(ctx context.Context) (*corev1.Node, error) {
	node, err := n.kube.CoreV1().Nodes().Create(ctx, newHollowNodeObject(n.spec, time.Now()), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return n.kube.CoreV1().Nodes().Get(ctx, n.spec.Name, metav1.GetOptions{})
	}
	return node, err
}

// Stop ends the node in order, which for a kubelet is no different from Kill: its Node stays as it is.
func (n *hollowNode) Stop(context.Context) error { return n.Kill() }

// Kill ends the node.
func (n *hollowNode) Kill() error {
	n.stop()
	<-n.done
	return nil
}

// Freeze stops heartbeats and work on pods.
func (n *hollowNode) Freeze() error {
	n.frozen.shut()
	return nil
}

// Thaw lets them go on.
func (n *hollowNode) Thaw() error {
	n.frozen.open()
	return nil
}

// Done is closed when the node has ended.
func (n *hollowNode) Done() <-chan struct{} { return n.done }

// gate holds up who passes while it is shut. The zero value is open.
type gate struct {
	mu     sync.Mutex
	opened chan struct{} // nil while open
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened == nil {
		g.opened = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened != nil {
		close(g.opened)
		g.opened = nil
	}
}

// pass waits until the gate is open; false when ctx ended first.
func (g *gate) pass(ctx context.Context) bool {
	for {
		g.mu.Lock()
		opened := g.opened
		g.mu.Unlock()
		if opened == nil {
			return ctx.Err() == nil
		}
		select {
		case <-opened:
		case <-ctx.Done():
			return false
		}
	}
}
