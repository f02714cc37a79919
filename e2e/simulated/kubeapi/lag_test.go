package kubeapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/simulated/bubble"
	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

func TestMain(m *testing.M) {
	kubeapi.Prepare()
	m.Run()
}

// admin is the user of the tests.
const admin = "admin"

// world is an API server, and the Nodes as a user sees them whom it can show what is old.
type world struct {
	*testing.T
	ctx    context.Context
	server *kubeapi.Server
	nodes  typedcorev1.NodeInterface
	begun  *[]watch.Interface // to be stopped
}

// simulate runs a test in simulated time.
func simulate(t *testing.T, test func(w world)) {
	t.Helper()
	t.Parallel()
	err := bubble.Run(t.Context(), t, func(ctx context.Context) error {
		network := wire.New()
		listener, err := network.Listen(ctx, "127.0.0.1:0")
		if err != nil {
			return err
		}
		server := kubeapi.New(kubeapi.Config{Seed: 1})
		server.Serve(listener)
		defer func() { _ = server.Close() }()
		transport := network.Transport()
		defer transport.CloseIdleConnections()
		access := &rest.Config{Host: "http://" + listener.Addr().String(), BearerToken: server.AdminToken(), Transport: transport, QPS: -1}
		kube, err := kubernetes.NewForConfig(access)
		if err != nil {
			return err
		}
		w := world{t, ctx, server, kube.CoreV1().Nodes(), new([]watch.Interface)}
		test(w)
		for _, events := range *w.begun {
			events.Stop()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w world) must(err error) {
	w.Helper()
	if err != nil {
		w.Error(err)
	}
}

// create makes a Node, and returns it as it is then.
func (w world) create(name string) *corev1.Node {
	w.Helper()
	node, err := w.nodes.Create(w.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	w.must(err)
	return node
}

func (w world) label(name, value string) {
	w.Helper()
	patch := []byte(`{"metadata":{"labels":{"step":"` + value + `"}}}`)
	_, err := w.nodes.Patch(w.ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	w.must(err)
}

func (w world) remove(name string) {
	w.Helper()
	w.must(w.nodes.Delete(w.ctx, name, metav1.DeleteOptions{}))
}

// lag lets the user see what is old.
func (w world) lag(kind control.LagKind, to time.Time) {
	w.Helper()
	w.must(w.server.Lag(admin, control.Lag{Kind: kind, Resources: []string{"nodes"}, To: to}))
}

// listed are the names of a list.
func (w world) listed(options metav1.ListOptions) string {
	w.Helper()
	list, err := w.nodes.List(w.ctx, options)
	if err != nil {
		return string(apierrors.ReasonForError(err))
	}
	var names []string
	for _, node := range list.Items {
		names = append(names, node.Name+node.Labels["step"])
	}
	return strings.Join(names, " ")
}

// watch begins a watch.
func (w world) watch(options metav1.ListOptions) watch.Interface {
	w.Helper()
	events, err := w.nodes.Watch(w.ctx, options)
	w.must(err)
	*w.begun = append(*w.begun, events)
	return events
}

// told are the events that a watch has until nothing comes for a while.
func (w world) told(events watch.Interface) string {
	var all []string
	for {
		select {
		case e, open := <-events.ResultChan():
			switch object := e.Object.(type) {
			case *corev1.Node:
				all = append(all, strings.ToLower(string(e.Type))+" "+object.Name+object.Labels["step"])
			case *metav1.Status:
				all = append(all, string(object.Reason))
			}
			if !open {
				return strings.Join(append(all, "end"), ", ")
			}
		case <-time.After(5 * time.Second):
			return strings.Join(all, ", ")
		}
	}
}

// expect compares what was seen.
func (w world) expect(what, got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("%s: %q, want %q", what, got, want)
	}
}

var (
	anyVersion = metav1.ListOptions{ResourceVersion: "0"}
	newest     = metav1.ListOptions{}
)

// TestStaleReads: what may be old is, and what must not be is not.
func TestStaleReads(t *testing.T) {
	simulate(t, func(w world) {
		w.create("a")
		w.lag(control.Stale, time.Time{})
		b := w.create("b")
		w.label("a", "1")
		w.expect("a list of any version", w.listed(anyVersion), "a")
		w.expect("a consistent list", w.listed(newest), "a1 b")
		w.expect("a list of exactly now", w.listed(metav1.ListOptions{ResourceVersion: b.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact}), "a b")
		_, err := w.nodes.Get(w.ctx, "b", metav1.GetOptions{ResourceVersion: "0"})
		w.expect("a Get of any version", string(apierrors.ReasonForError(err)), "NotFound")
		_, err = w.nodes.Get(w.ctx, "b", metav1.GetOptions{})
		w.must(err)
		begun := time.Now()
		w.expect("a list not older than now", w.listed(metav1.ListOptions{ResourceVersion: b.ResourceVersion}), "Timeout")
		if waited := time.Since(begun); waited < 3*time.Second {
			w.Errorf("it waited for %s only", waited)
		}
		time.AfterFunc(time.Second, func() { w.server.CatchUp(admin) })
		w.expect("one that the cache catches up for", w.listed(metav1.ListOptions{ResourceVersion: b.ResourceVersion}), "a1 b")
		w.expect("a list of any version then", w.listed(anyVersion), "a1 b")
	})
}

// TestStaleWatches: watches tell nothing, and then everything in its order.
func TestStaleWatches(t *testing.T) {
	simulate(t, func(w world) {
		open := w.watch(metav1.ListOptions{ResourceVersion: w.create("a").ResourceVersion})
		w.lag(control.Stale, time.Time{})
		w.label("a", "1")
		w.label("a", "2")
		w.remove("a")
		b := w.create("b")
		w.expect("an open watch", w.told(open), "")
		w.expect("a watch that begins with what is there", w.told(w.watch(anyVersion)), "added a")
		later := w.watch(metav1.ListOptions{ResourceVersion: b.ResourceVersion})
		w.expect("a watch of what comes later", w.told(later), "")
		w.label("b", "1")
		w.server.CatchUp(admin)
		w.expect("the open watch then", w.told(open), "modified a1, modified a2, deleted a2, added b, modified b1")
		w.expect("the later one then", w.told(later), "modified b1")
	})
}

// TestStaleWatchList: a client that wants to begin with what is there now does not get what was.
func TestStaleWatchList(t *testing.T) {
	simulate(t, func(w world) {
		w.lag(control.Stale, time.Time{})
		w.create("a")
		begin := metav1.ListOptions{SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}
		w.expect("while it is behind", w.told(w.watch(begin)), "Timeout, end")
		time.AfterFunc(time.Second, func() { w.server.CatchUp(admin) })
		w.expect("when it catches up", w.told(w.watch(begin)), "added a, bookmark ")
	})
}

// TestStaleWrites: writes are judged by what is.
func TestStaleWrites(t *testing.T) {
	simulate(t, func(w world) {
		w.create("a")
		w.lag(control.Stale, time.Time{})
		w.label("a", "1")
		old, err := w.nodes.Get(w.ctx, "a", metav1.GetOptions{ResourceVersion: "0"})
		w.must(err)
		_, err = w.nodes.Update(w.ctx, old, metav1.UpdateOptions{})
		w.expect("an update of what is old", string(apierrors.ReasonForError(err)), "Conflict")
	})
}

// TestUnobserved: a client that watches has to list, and sees what came of it alone.
func TestUnobserved(t *testing.T) {
	simulate(t, func(w world) {
		first := w.create("a")
		open := w.watch(metav1.ListOptions{ResourceVersion: first.ResourceVersion})
		w.lag(control.Unobserved, time.Time{})
		w.remove("a")
		w.create("a")
		w.create("passing")
		w.remove("passing")
		w.expect("the open watch", w.told(open), "")
		w.server.CatchUp(admin)
		w.expect("the open watch then", w.told(open), "Expired, end")
		w.expect("one from where it was", w.told(w.watch(metav1.ListOptions{ResourceVersion: first.ResourceVersion})), "Expired, end")
		w.expect("a list not older than that", w.listed(metav1.ListOptions{ResourceVersion: first.ResourceVersion}), "a")
	})
}

// TestTimeTravel: who begins again sees what was, and who goes on sees nothing until it is over.
func TestTimeTravel(t *testing.T) {
	simulate(t, func(w world) {
		w.create("a")
		then := time.Now()
		time.Sleep(time.Second)
		w.remove("a")
		b := w.create("b")
		open := w.watch(metav1.ListOptions{ResourceVersion: b.ResourceVersion})
		time.Sleep(time.Second)
		w.lag(control.TimeTravel, then)
		w.expect("an open watch", w.told(open), "end")
		w.expect("a list of any version", w.listed(anyVersion), "a")
		w.expect("a consistent list", w.listed(newest), "b")
		again := w.watch(metav1.ListOptions{ResourceVersion: b.ResourceVersion})
		begun := w.watch(anyVersion)
		w.expect("a watch that begins again", w.told(begun), "added a")
		_, err := w.nodes.Watch(w.ctx, metav1.ListOptions{SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
		w.expect("a watch list", string(apierrors.ReasonForError(err)), "Invalid")
		w.label("b", "1")
		w.expect("the watch that goes on", w.told(again), "")
		w.server.CatchUp(admin)
		w.expect("the watch that goes on, then", w.told(again), "modified b1")
		w.expect("the one that began again, then", w.told(begun), "deleted a, added b, modified b1")
	})
}

// TestLagOfOne: others see the present, and other resources are shown as they are.
func TestLagOfOne(t *testing.T) {
	simulate(t, func(w world) {
		w.must(w.server.Lag("another", control.Lag{Kind: control.Stale, Resources: []string{"*"}}))
		w.must(w.server.Lag(admin, control.Lag{Kind: control.Stale, Resources: []string{"services", "leases"}}))
		w.create("a")
		w.expect("a list", w.listed(anyVersion), "a")
	})
}

// TestLagEnds: it ends by itself, and a second one cannot begin before.
func TestLagEnds(t *testing.T) {
	simulate(t, func(w world) {
		lag := control.Lag{Kind: control.Stale, Resources: []string{"nodes"}, For: 10 * time.Second}
		w.must(w.server.Lag(admin, lag))
		if err := w.server.Lag(admin, lag); !errors.Is(err, simcloud.Conflict) || !strings.Contains(err.Error(), "nodes") {
			w.Errorf("a second lag: %v", err)
		}
		w.create("a")
		time.Sleep(9 * time.Second)
		w.expect("before its end", w.listed(anyVersion), "")
		time.Sleep(time.Second)
		w.expect("after it", w.listed(anyVersion), "a")
		w.must(w.server.Lag(admin, lag))
	})
}

// TestLagRefused: what cannot be shown is refused.
func TestLagRefused(t *testing.T) {
	simulate(t, func(w world) {
		err := w.server.Lag(admin, control.Lag{Kind: control.Stale, Resources: []string{"node"}})
		if !errors.Is(err, simcloud.NotFound) || !strings.Contains(err.Error(), `"node" not found (have clusterrolebindings`) {
			w.Errorf("an unknown resource: %v", err)
		}
		err = w.server.Lag(admin, control.Lag{Kind: control.TimeTravel, Resources: []string{"nodes"}, To: time.Now().Add(time.Second)})
		if !errors.Is(err, simcloud.Invalid) {
			w.Errorf("the future: %v", err)
		}
	})
}
