package scenarios

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const harnessAgent = "simcloud-test"

func isHarness(e simcloud.JournalEntry) bool { return e.Caller.UserAgent == harnessAgent }

// follow feeds a store from a cloud that has the instance i-1 for the time of f, in fake time.
func follow(t *testing.T, f func(t *testing.T, cloud *testCloud, feed *cloudFeed)) {
	synctest.Test(t, func(t *testing.T) {
		cloud := newTestCloud(t)
		cloud.instance(t, "one")
		feed := &cloudFeed{cloud: cloud, store: newStore("default"), harness: isHarness}
		followCloud(t, feed, func() { f(t, cloud, feed) })
	})
}

// followCloud lets a feed follow its cloud for the time of f.
func followCloud(t *testing.T, feed *cloudFeed, f func()) {
	t.Helper()
	if err := feed.readState(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var streams sync.WaitGroup
	streams.Go(func() { feed.watchEvents(ctx) })
	streams.Go(func() { feed.watchJournal(ctx) })
	defer streams.Wait()
	defer cancel()
	f()
}

// followFake is follow for a scripted cloud: one that leaves a call out, or has forgotten its events, which the real one does after very many.
func followFake(t *testing.T, f func(t *testing.T, cloud *fakeCloud, feed *cloudFeed)) {
	synctest.Test(t, func(t *testing.T) {
		cloud := newFakeCloud()
		cloud.put(simcloud.KindInstance, "i-1", map[string]any{"name": "one"})
		feed := &cloudFeed{cloud: cloud, store: newStore("default"), harness: isHarness}
		followCloud(t, feed, func() { f(t, cloud, feed) })
	})
}

func ids(s *Snapshot, variable string) string {
	text := ""
	for _, r := range s.resources[variable] {
		text += " " + resourceID(r)
	}
	return text
}

func TestFeedFollows(t *testing.T) {
	t.Parallel()
	follow(t, func(t *testing.T, cloud *testCloud, feed *cloudFeed) {
		cloud.must(t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "two", Labels: map[string]string{"a": "b"}}))
		cloud.must(t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb"}))
		cloud.must(t)(cloud.DeleteInstance(t.Context(), "i-1"))
		cloud.must(t)(cloud.ccm.GetInstance(t.Context(), "i-2"))
		cloud.must(t)(cloud.ListInstances(t.Context(), simcloud.ListOptions{}))
		if _, err := cloud.ccm.DeleteVolume(t.Context(), "vol-9"); err == nil {
			t.Error("a volume that does not exist was deleted")
		}
		synctest.Wait()
		s := feed.store.snapshot()
		if ids(s, "instances") != " i-2" || ids(s, "loadBalancers") != " lb-1" {
			t.Errorf("instances%s, load balancers%s", ids(s, "instances"), ids(s, "loadBalancers"))
		}
		if len(s.calls) != 2 || dig(s.calls[1], "code") != "not_found" || dig(s.calls[0], "write") != false {
			t.Errorf("calls %v", s.calls)
		}
		if got := dig(s.resources["loadBalancers"][0], "labels"); got == nil {
			t.Error("a load balancer without labels has no empty labels")
		}
	})
}

// TestStoreIgnoresWhatItHasSeen: a stream that lags behind a read brings nothing back.
func TestStoreIgnoresWhatItHasSeen(t *testing.T) {
	t.Parallel()
	cloud, s := newTestCloud(t), newStore("default")
	before := cloud.state(t).Revision
	cloud.instance(t, "one")
	cloud.must(t)(cloud.DeleteInstance(t.Context(), "i-1"))
	cloud.ccmCalls(t, "StopInstance")
	state, err := cloud.GetState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.replaceCloud(state); err != nil {
		t.Fatal(err)
	}
	for event, err := range cloud.WatchEvents(t.Context(), before) {
		if err == nil {
			err = s.cloudEvent(event)
		}
		if err != nil {
			t.Fatal(err)
		}
		if event.Revision == state.Revision {
			break
		}
	}
	calls := cloud.calls(t, "StopInstance")
	s.addCalls(calls, isHarness)
	s.addCalls(calls, isHarness)
	if now := s.snapshot(); ids(now, "instances") != "" || len(now.calls) != 1 {
		t.Errorf("instances%s, %d calls", ids(now, "instances"), len(now.calls))
	}
}

// TestFeedResumes: nothing is missed, and nothing seen twice, when the streams break.
func TestFeedResumes(t *testing.T) {
	t.Parallel()
	follow(t, func(t *testing.T, cloud *testCloud, feed *cloudFeed) {
		_, sub := feed.store.subscribe(map[source]bool{fromJournal: true})
		defer sub.close()
		cloud.ccmCalls(t, "GetInstance")
		synctest.Wait()
		cloud.link(true)
		synctest.Wait()
		cloud.ccmCalls(t, "StopInstance")
		cloud.instance(t, "two")
		cloud.link(false)
		waitFor(t, feed, " i-1 i-2")
		time.Sleep(2 * streamRetry) // in fake time: both streams are back
		if s := feed.store.snapshot(); len(s.calls) != 2 || len(sub.take()) != 2 {
			t.Errorf("calls %v", s.calls)
		}
	})
}

// TestFeedReadsTheStateWhenTheCloudHasForgotten: also what was deleted meanwhile goes.
func TestFeedReadsTheStateWhenTheCloudHasForgotten(t *testing.T) {
	t.Parallel()
	followFake(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		synctest.Wait()
		cloud.do(func() { cloud.broken = true })
		cloud.remove(simcloud.KindInstance, "i-1")
		cloud.put(simcloud.KindInstance, "i-2", map[string]any{"name": "two"})
		cloud.do(func() { cloud.broken, cloud.oldest, cloud.events = false, cloud.revision, nil })
		waitFor(t, feed, " i-2")
	})
}

// TestCatchUp: it waits for the stream as long as that takes, also when it is lost meanwhile.
func TestCatchUp(t *testing.T) {
	for name, spoil := range map[string]func(cloud *fakeCloud, spoilt bool){
		"a stream that lags":  func(cloud *fakeCloud, spoilt bool) { cloud.silent = spoilt },
		"a stream that broke": func(cloud *fakeCloud, spoilt bool) { cloud.silent, cloud.broken = spoilt, spoilt },
	} {
		t.Run(name, func(t *testing.T) {
			followFake(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
				synctest.Wait()
				cloud.do(func() { spoil(cloud, true) })
				cloud.put(simcloud.KindInstance, "i-2", map[string]any{"name": "two"})
				cloud.call("ccm", "StopInstance", "", "")
				caught := catchingUp(t, feed)
				time.Sleep(time.Hour) // in fake time
				if len(caught) > 0 {
					t.Fatal("it has caught up without the stream")
				}
				cloud.do(func() { spoil(cloud, false) })
				if err := <-caught; err != nil {
					t.Fatal(err)
				}
				if s := feed.store.snapshot(); ids(s, "instances") != " i-1 i-2" || len(s.calls) != 1 {
					t.Errorf("instances%s, %d calls", ids(s, "instances"), len(s.calls))
				}
			})
		})
	}
}

// catchingUp lets the feed catch up, and returns where its error comes.
func catchingUp(t *testing.T, feed *cloudFeed) <-chan error {
	t.Helper()
	caught := make(chan error, 1)
	go func() { caught <- feed.catchUp(t.Context()) }()
	return caught
}

// TestCatchUpWaitsForTheCall: the change is told before the call is written down, however long that takes.
func TestCatchUpWaitsForTheCall(t *testing.T) {
	followFake(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		cloud.do(func() { cloud.pending++ })
		cloud.put(simcloud.KindOperation, "op-1", map[string]any{"verb": "DeleteTarget"})
		caught := catchingUp(t, feed)
		time.Sleep(time.Hour) // in fake time
		if len(caught) > 0 {
			t.Fatal("it has caught up without the call")
		}
		cloud.do(func() { cloud.silent = true }) // so that it is catchUp that finds the call
		cloud.do(func() {
			cloud.pending--
			cloud.calls = append(cloud.calls, simcloud.JournalEntry{
				Seq: 1, Operation: "DeleteTarget", OperationID: "op-1", RequestID: "req-1", Write: true, Code: simcloud.Unavailable,
				Fault: "fault-1", Effect: "reset", Committed: true,
			})
		})
		if err := <-caught; err != nil {
			t.Fatal(err)
		}
		calls := feed.store.snapshot().calls
		want := map[string]any{
			"code": "unavailable", "fault": "fault-1", "effect": "reset", "committed": true, "operationID": "op-1", "requestID": "req-1",
		}
		for key, value := range want {
			if got := dig(calls[len(calls)-1], key); got != value {
				t.Errorf("%s of the call is %v, want %v", key, got, value)
			}
		}
	})
}

// TestCatchUpEnds: who does not wait any more is told how far the events have come.
func TestCatchUpEnds(t *testing.T) {
	followFake(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		synctest.Wait()
		cloud.do(func() { cloud.silent = true })
		cloud.put(simcloud.KindInstance, "i-2", map[string]any{"name": "two"})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := feed.catchUp(ctx); err == nil || !strings.Contains(err.Error(), "revision 1 of 2") {
			t.Errorf("got %v", err)
		}
	})
}

// deedsOf keeps the deeds that a store tells of.
type deedsOf struct {
	bystander

	all []deed
}

func (d *deedsOf) deedDone(done deed) { d.all = append(d.all, done) }

// text is what the deeds are, in their order.
func (d *deedsOf) text() string {
	var all []string
	for _, done := range d.all {
		all = append(all, fmt.Sprintf("%s %s %s", done.operationID, done.operation, done.ref))
	}
	return strings.Join(all, ", ")
}

// TestDeedsByCause: a change is the deed of the operation that has caused it, whatever else happens between the two.
func TestDeedsByCause(t *testing.T) {
	cloud, seen := newFakeCloud(), &deedsOf{}
	s := newStore("default", seen)
	s.beginDeeds()
	by := func(operation simcloud.ID, kind simcloud.Kind, id simcloud.ID) {
		cloud.cause = operation
		cloud.put(kind, id, map[string]any{"name": "x"})
	}
	operation := func(id simcloud.ID, verb string, kind simcloud.Kind, resource simcloud.ID) {
		cloud.cause = id
		cloud.put(simcloud.KindOperation, id, map[string]any{"verb": verb, "resource": map[string]any{"kind": kind, "id": resource}})
	}
	by("op-1", simcloud.KindInstance, "i-1")
	by("", simcloud.KindInstance, "i-2")          // by the cloud itself
	by("op-1", simcloud.KindLoadBalancer, "lb-1") // what an operation does to another resource
	operation("op-1", "StopInstance", simcloud.KindInstance, "i-1")
	operation("op-2", "StopInstance", simcloud.KindInstance, "i-2") // it has changed nothing
	by("op-3", simcloud.KindLoadBalancer, "lb-1")
	operation("op-3", "AddTarget", simcloud.KindLoadBalancer, "lb-1")
	by("op-1", simcloud.KindInstance, "i-1") // it is ready
	operation("op-1", "StopInstance", simcloud.KindInstance, "i-1")
	for _, event := range cloud.events {
		if err := s.cloudEvent(event); err != nil {
			t.Fatal(err)
		}
	}
	want := "op-1 StopInstance instance/i-1, op-3 AddTarget load_balancer/lb-1, op-1 StopInstance instance/i-1"
	if got := seen.text(); got != want {
		t.Errorf("deeds %s\nwant  %s", got, want)
	}
}

// TestDeedsOfAState: a state tells which operations there are; the last one about a resource has changed it.
func TestDeedsOfAState(t *testing.T) {
	cloud, seen := newFakeCloud(), &deedsOf{}
	s := newStore("default", seen)
	s.beginDeeds()
	read := func() {
		state, err := cloud.GetState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.replaceCloud(state); err != nil {
			t.Fatal(err)
		}
	}
	operation := func(id simcloud.ID, resource simcloud.ID) {
		cloud.put(simcloud.KindOperation, id, map[string]any{"verb": "x", "resource": map[string]any{"kind": simcloud.KindInstance, "id": resource}})
	}
	operation("op-1", "i-3")
	read()
	for _, id := range []simcloud.ID{"i-1", "i-2", "i-3"} {
		cloud.put(simcloud.KindInstance, id, map[string]any{"name": "x"})
	}
	operation("op-2", "i-2")
	operation("op-3", "i-1")
	operation("op-4", "i-2")
	read()
	if got, want := seen.text(), "op-3 x instance/i-1, op-4 x instance/i-2"; got != want {
		t.Errorf("deeds %s, want %s", got, want)
	}
}

func waitFor(t *testing.T, feed *cloudFeed, instances string) {
	t.Helper()
	st := &stage{store: feed.store}
	ctx, cancel := context.WithTimeout(t.Context(), DefaultStepTimeout)
	defer cancel()
	if err := st.until(ctx, fromCloud, func(s *Snapshot) bool { return ids(s, "instances") == instances }); err != nil {
		t.Fatalf("want%s, have%s: %v", instances, ids(feed.store.snapshot(), "instances"), err)
	}
}
