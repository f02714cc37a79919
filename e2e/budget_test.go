package e2e_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/ccm/budget"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// bill counts what the CCM calls.
type bill struct {
	*testing.T
	*e2e.Cluster
	timings e2e.Timings
	listAge time.Duration // instanceListAge; 0 for the default
	seq     uint64        // of the last call that was counted
	since   time.Time     // when that was: all calls that were not counted came later
}

// largeTimings let thousands of hollow nodes live on few cores: they report each
// half minute, and the node controller accepts that.
func largeTimings() e2e.Timings {
	t := e2e.DefaultTimings()
	t.Heartbeat, t.NodeLease = 30*time.Second, 2*time.Minute
	t.Reset, t.Stop, t.CCMStart = 5*time.Minute, 2*time.Minute, 2*time.Minute
	return t
}

// startLarge starts a cluster for up to 4096 hollow nodes, with simcloud-ccm.
func startLarge(t *testing.T) *bill {
	t.Helper()
	subject, kube := planetest.CCM(t), planetest.Kube(t)
	planetest.Return(t)
	planetest.Slot(t)
	dir := t.TempDir()
	backend, err := embedded.New(embedded.Config{Dir: filepath.Join(dir, "kube"), Kube: kube, NodeGrace: 10 * time.Minute, NodeMask: 28})
	if err != nil {
		t.Fatal(err)
	}
	b := &bill{T: t, timings: largeTimings()}
	b.Cluster, err = e2e.Start(t.Context(), e2e.Config{
		Dir: dir, Backend: backend, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: subject, Timings: b.timings,
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return b
}

// shape is what the CCM's budget depends on in this cluster.
func (b *bill) shape(nodes, services int) budget.Shape {
	return budget.Shape{
		Nodes: nodes, Services: services,
		NodeStatusUpdate: b.timings.NodeStatusUpdate, NodeMonitor: b.timings.NodeMonitor, RouteReconciliation: b.timings.RouteReconciliation,
		ListAge: b.listAge,
	}
}

// spent counts the CCM's calls since the last time, and how often it made each.
// They were made within took.
func (b *bill) spent() (calls budget.Calls, by map[string]int, took time.Duration) {
	b.Helper()
	began, now := b.since, time.Now()
	entries, err := b.Cloud.ListJournal(b.Context(), simcloud.JournalFilter{After: b.seq})
	if err != nil {
		b.Fatal(err)
	}
	took, b.since = time.Since(began), now
	by = map[string]int{}
	for _, entry := range entries {
		b.seq = entry.Seq
		if entry.Caller.Token != b.CCM.TokenID() {
			continue
		}
		by[entry.Operation]++
		if entry.Write {
			calls.Writes++
		} else {
			calls.Reads++
		}
	}
	return calls, by, took
}

// within reports calls beyond what is stated, and says what there were.
func (b *bill) within(what string, most func(took time.Duration) budget.Calls) {
	b.Helper()
	got, by, took := b.spent()
	limit := most(took)
	b.Logf("%s: %s, %d of %d reads, %d of %d writes: %v", what, took.Round(10*time.Millisecond), got.Reads, limit.Reads, got.Writes, limit.Writes, by)
	if got.Reads > limit.Reads || got.Writes > limit.Writes {
		b.Errorf("%s: %+v, at most %+v are stated: %v", what, got, limit, by)
	}
}

// join creates hollow nodes, all at once, and waits until all are initialised
// and have their routes.
func (b *bill) join(first, last int) {
	b.Helper()
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(16)
	for i := first; i <= last; i++ {
		spec := simcloud.InstanceSpec{Name: fmt.Sprintf("node-%d", i), Labels: map[string]string{machine.LabelNode: machine.NodeHollow}}
		group.Go(func() error {
			// The key lets the client ask again when a busy machine answers late.
			_, err := b.Cloud.CreateInstance(ctx, spec, simcloud.IdempotencyKey(b.T.Name()+"/"+spec.Name))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	waittest.Within(b.T, joinPatience(last), fmt.Sprintf("%d nodes have joined", last), func(ctx context.Context) (bool, error) {
		nodes, err := b.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return false, err
		}
		joined := 0
		for i := range nodes.Items {
			if hasJoined(&nodes.Items[i]) {
				joined++
			}
		}
		return enough(joined, last)
	})
}

// joinPatience bounds the wait for nodes; machines that do much else join few in a second.
func joinPatience(nodes int) time.Duration {
	return waittest.Patience() + time.Duration(nodes)*300*time.Millisecond
}

// enough is the answer to whether all are as wanted.
func enough(got, want int) (bool, error) {
	if got == want {
		return true, nil
	}
	return false, fmt.Errorf("%d are", got)
}

func hasJoined(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeNetworkUnavailable && c.Status == corev1.ConditionFalse {
			return isInitialised(n) && isReady(n)
		}
	}
	return false
}

// serve creates Services and waits until each has its address; unserve deletes
// all and waits until they are gone, and so is what was made for them.
func (b *bill) serve(services int) {
	b.Helper()
	for i := range services {
		createService(b.T, b.Cluster, fmt.Sprintf("web-%d", i))
	}
	waittest.For(b.T, "the Services have addresses", func(ctx context.Context) (bool, error) {
		list, err := b.Kube.CoreV1().Services("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		served := 0
		for _, s := range list.Items {
			served += len(s.Status.LoadBalancer.Ingress)
		}
		return enough(served, services)
	})
}

func (b *bill) unserve(services int) {
	b.Helper()
	for i := range services {
		if err := b.Kube.CoreV1().Services("default").Delete(b.Context(), fmt.Sprintf("web-%d", i), metav1.DeleteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	waittest.For(b.T, "the Services are gone", func(ctx context.Context) (bool, error) {
		list, err := b.Kube.CoreV1().Services("default").List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 1, err // but for kubernetes
	})
	page, err := b.Cloud.ListLoadBalancers(b.Context(), simcloud.ListOptions{})
	if err != nil || len(page.Items) > 0 {
		b.Errorf("%d load balancers are left, %v", len(page.Items), err)
	}
}

// sum adds budgets.
func sum(all ...budget.Calls) (total budget.Calls) {
	for _, c := range all {
		total.Reads += c.Reads
		total.Writes += c.Writes
	}
	return total
}

// TestCallBudget holds the provider's stated numbers of calls against its real
// controllers, in clusters of two sizes: of four in the nightly run.
func TestCallBudget(t *testing.T) {
	b := startLarge(t)
	sizes := []int{1, 100}
	if planetest.InNightly() {
		sizes = []int{1, 10, 100, 1000}
	}
	for _, nodes := range sizes {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			b := *b
			b.T = t
			b.size(nodes, 5)
			if err := b.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// bePatient fits the CCM to a cloud that shares its cores, and is slowed down by
// the race detector: 200 routes at once of a table of 1,000 are answered late, and
// what is stated holds where a list, and a pass over all Nodes, take less than instanceListAge.
func (b *bill) bePatient() {
	b.Helper()
	b.listAge = 10 * time.Second
	config := map[string]any{"timeout": "5m", "instanceListAge": b.listAge.String()}
	if err := b.CCM.Configure(control.Settings{Config: config}); err != nil {
		b.Fatal(err)
	}
}

// size lets a cluster of a size live: its nodes join, Services come, nothing
// happens, the CCM restarts, Services go.
func (b *bill) size(nodes, services int) {
	b.Helper()
	b.widenRoutes(nodes)
	b.bePatient()
	b.since = time.Now()
	startSubject(b.T, b.Cluster)
	b.join(1, nodes)
	b.within("initialisation", func(took time.Duration) budget.Calls {
		return sum(b.shape(0, 0).Start(), b.shape(nodes, 0).Initialization(took))
	})
	b.serve(services)
	b.within("Services come", func(took time.Duration) budget.Calls {
		return sum(b.shape(nodes, services).CreateServices(), b.shape(nodes, services).Idle(took))
	})
	quiet(b.T, 7*time.Second)
	b.within("idle", b.shape(nodes, services).Idle)
	if err := b.CCM.Restart(b.Context()); err != nil {
		b.Fatal(err)
	}
	quiet(b.T, 7*time.Second)
	b.within("a restart", func(took time.Duration) budget.Calls {
		return sum(b.shape(nodes, services).Start(), b.shape(nodes, services).Idle(took))
	})
	b.unserve(services)
	b.within("Services go", func(took time.Duration) budget.Calls {
		return sum(b.shape(nodes, services).DeleteServices(), b.shape(nodes, services).Idle(took))
	})
}

// widenRoutes makes room for a route of each node.
func (b *bill) widenRoutes(nodes int) {
	b.Helper()
	tables, err := b.Cloud.ListRouteTables(b.Context(), simcloud.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	limit := max(nodes, simcloud.DefaultRouteLimit)
	if _, err := b.Cloud.UpdateRouteTable(b.Context(), tables.Items[0].ID, simcloud.RouteTableUpdate{Limit: &limit}); err != nil {
		b.Fatal(err)
	}
}

// quiet lets time pass in which nothing is done to the cluster: that is what is measured.
func quiet(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
}

// TestIdle: a cluster of a hundred nodes and twenty Services to which nothing
// happens costs no write at all, and no more reads than stated.
func TestIdle(t *testing.T) {
	planetest.Cluster(t)
	planetest.Nightly(t, "TestCallBudget/100 holds an idle cluster against the same numbers, and p08-idle sees any write")
	b := startLarge(t)
	const nodes, services = 100, 20
	b.widenRoutes(nodes)
	b.bePatient()
	startSubject(t, b.Cluster)
	b.join(1, nodes)
	b.serve(services)
	quiet(b.T, time.Second) // what the last change has set off
	b.spent()
	quiet(b.T, time.Minute)
	b.within("idle", b.shape(nodes, services).Idle)
}
