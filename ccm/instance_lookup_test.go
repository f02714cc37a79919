package ccm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// shareNow has the provider look all nodes up, so that a list is shared.
func (w *world) shareNow() {
	w.t.Helper()
	w.look(w.nodes)
	w.took()
}

// unnamed is a Node without a provider id that has joined.
func unnamed(name string, uid types.UID) *v1.Node {
	node := namedNode(name)
	node.UID = uid
	return node
}

// What is gone is gone at once: a shared list says only that something is there.
func TestASharedListDoesNotHideThatAnInstanceIsGone(t *testing.T) {
	t.Parallel()
	w := newFleet(t, 4)
	w.look(w.nodes[:3])
	if _, err := w.api.DeleteInstance(w.ctx(), "i-4"); err != nil {
		t.Fatal(err)
	}
	w.later(3 * time.Second)
	w.look(w.nodes[:3])
	w.took()
	if exists, err := w.cloud.instances.InstanceExists(w.ctx(), w.nodes[3]); exists || err != nil {
		t.Errorf("InstanceExists = %v, %v; want false", exists, err)
	}
	if got := w.took(); !slices.Equal(got, []string{"GetInstance"}) {
		t.Errorf("calls %v, want one about the instance itself", got)
	}
}

// An instance that a list misses is asked for: lists may lie, and instances come.
func TestWhatAListMissesIsAskedFor(t *testing.T) {
	t.Parallel()
	w := newFleet(t, 3)
	w.shareNow()
	late := w.boot("node-late")
	if exists, err := w.cloud.instances.InstanceExists(w.ctx(), late); !exists || err != nil {
		t.Errorf("InstanceExists = %v, %v; want true", exists, err)
	}
}

// An answer serves until it is as old as instanceListAge, and no longer.
func TestAnswersGrowOld(t *testing.T) {
	t.Parallel()
	w := newFleet(t, 3)
	w.shareNow()
	if _, err := w.api.StopInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{1999 * time.Millisecond, false}, {time.Millisecond, true}} {
		w.later(c.after)
		if shutdown, err := w.cloud.instances.InstanceShutdown(w.ctx(), w.nodes[0]); shutdown != c.want || err != nil {
			t.Errorf("InstanceShutdown = %v, %v; want %v", shutdown, err, c.want)
		}
	}
}

// What is asked of one instance twice in a moment is one call.
func TestTwoQuestionsAboutOneInstance(t *testing.T) {
	t.Parallel()
	w := newFleet(t, 3)
	if _, err := w.cloud.instances.InstanceExists(w.ctx(), w.nodes[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := w.cloud.instances.InstanceShutdown(w.ctx(), w.nodes[0]); err != nil {
		t.Fatal(err)
	}
	if got := w.took(); !slices.Equal(got, []string{"GetInstance"}) {
		t.Errorf("calls %v, want one", got)
	}
}

// A provider id is for ever. A Node that joined after the list began must not
// get that of an instance which had its name before.
func TestANodeIsNotItsPredecessor(t *testing.T) {
	t.Parallel()
	w := newFleet(t, 2)
	first := unnamed("node-1", "first")
	w.know(first)
	w.look([]*v1.Node{first})
	if _, err := w.api.DeleteInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	successor := w.boot("node-1")
	second := unnamed("node-1", "second")
	w.know(second)
	got, err := w.cloud.instances.InstanceMetadata(w.ctx(), second)
	if err != nil || got.ProviderID != successor.Spec.ProviderID {
		t.Errorf("got %v, %v; want %s", got, err, successor.Spec.ProviderID)
	}
}

// A pass over all Nodes that began before a Node got its id asks by the id: a
// list for each such Node would make the pass last for minutes.
func TestANodeThatHasItsIDByNow(t *testing.T) {
	t.Parallel()
	w := newFleet(t, 2)
	before := unnamed("node-1", "first")
	now := before.DeepCopy()
	now.Spec.ProviderID = w.nodes[0].Spec.ProviderID
	w.know(now)
	w.look([]*v1.Node{before})
	if got := w.took(); !slices.Equal(got, []string{"GetInstance"}) {
		t.Errorf("calls %v, want a question about its id", got)
	}
	successor := unnamed("node-1", "second")
	w.look([]*v1.Node{successor})
	if got := w.took(); !slices.Contains(got, "ListInstances") {
		t.Errorf("calls %v, want a list: the id is that of another Node", got)
	}
}

// Nodes that join one after the other wait for a list that has them all.
func TestNodesThatJoinShareTheNextList(t *testing.T) {
	t.Parallel()
	w := newFleet(t, 5)
	waited := 0
	w.pause = func(_ context.Context, d time.Duration) error {
		waited++
		w.later(d)
		return nil
	}
	nodes := []*v1.Node{unnamed("node-1", "1"), unnamed("node-2", "2"), unnamed("node-3", "3")}
	w.know(nodes[0])
	w.look(nodes[:1])
	w.know(nodes...)
	w.look(nodes)
	if got := w.took(); !slices.Equal(got, []string{"ListInstances", "ListInstances"}) || waited != 1 {
		t.Errorf("calls %v, %d waits; want two lists and one wait between them", got, waited)
	}
}

// A list that fails is one for all who wait for it, and not tried again at
// once; meanwhile instances are asked for by their ids.
func TestAListThatFails(t *testing.T) {
	t.Parallel()
	for code, want := range map[simcloud.Code]int{simcloud.Unavailable: 6, simcloud.RateLimited: 2} {
		w := newFleet(t, 5)
		w.failing = func(operation string, _ int) failure {
			if operation == "ListInstances" {
				return failure{err: &simcloud.Error{Code: code}}
			}
			return failure{}
		}
		for _, node := range w.nodes {
			if exists, err := w.cloud.instances.InstanceExists(w.ctx(), node); !exists && err == nil {
				t.Errorf("%s: node %s is gone", code, node.Name)
			}
		}
		if calls := w.took(); len(calls) != want {
			t.Errorf("%s: calls %v, want %d", code, calls, want)
		}
		if _, err := w.cloud.instances.InstanceMetadata(w.ctx(), unnamed("node-1", "1")); !errors.Is(err, code) {
			t.Errorf("%s: by name: %v", code, err)
		}
	}
}

// That no instance has a name is said by a list of now, and not by one that
// serves to find others: the Node would be deleted.
func TestNoInstanceHasTheName(t *testing.T) {
	t.Parallel()
	w := newFleet(t, 2)
	node := unnamed("node-late", "late")
	w.know(append(slices.Clone(w.nodes), node)...)
	if exists, err := w.cloud.instances.InstanceExists(w.ctx(), node); exists || err != nil {
		t.Fatalf("before it came: InstanceExists = %v, %v", exists, err)
	}
	w.boot("node-late")
	w.later(time.Second)
	if exists, err := w.cloud.instances.InstanceExists(w.ctx(), node); !exists || err != nil {
		t.Errorf("after it came: InstanceExists = %v, %v; want true", exists, err)
	}
}
