package scenarios

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

const harnessAgent = "simcloud-test"

func isHarness(e simcloud.JournalEntry) bool { return e.Caller.UserAgent == harnessAgent }

// follow feeds a store from a fake cloud for the time of f, in fake time.
func follow(t *testing.T, f func(t *testing.T, cloud *fakeCloud, feed *cloudFeed)) {
	synctest.Test(t, func(t *testing.T) {
		cloud := newFakeCloud()
		cloud.put(simcloud.KindInstance, "i-1", map[string]any{"name": "one"})
		feed := &cloudFeed{cloud: cloud, store: newStore("default"), harness: isHarness}
		if err := feed.readState(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var streams sync.WaitGroup
		streams.Go(func() { feed.watchEvents(ctx) })
		streams.Go(func() { feed.watchJournal(ctx) })
		defer streams.Wait()
		defer cancel()
		f(t, cloud, feed)
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
	follow(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		cloud.put(simcloud.KindInstance, "i-2", map[string]any{"name": "two", "labels": map[string]any{"a": "b"}})
		cloud.put(simcloud.KindLoadBalancer, "lb-1", map[string]any{"name": "lb"})
		cloud.remove(simcloud.KindInstance, "i-1")
		cloud.call("ccm/1", "GetInstance", "instance/i-2", "")
		cloud.call(harnessAgent, "ListInstances", "instance", "")
		cloud.call("ccm/1", "CreateRoute", "route_table/rt-1", simcloud.Locked)
		synctest.Wait()
		s := feed.store.snapshot()
		if ids(s, "instances") != " i-2" || ids(s, "loadBalancers") != " lb-1" {
			t.Errorf("instances%s, load balancers%s", ids(s, "instances"), ids(s, "loadBalancers"))
		}
		if len(s.calls) != 2 || dig(s.calls[1], "code") != "locked" || dig(s.calls[0], "write") != false {
			t.Errorf("calls %v", s.calls)
		}
		if got := dig(s.resources["loadBalancers"][0], "labels"); got == nil {
			t.Error("a load balancer without labels has no empty labels")
		}
	})
}

// TestStoreIgnoresWhatItHasSeen: a stream that lags behind a read brings nothing back.
func TestStoreIgnoresWhatItHasSeen(t *testing.T) {
	cloud, s := newFakeCloud(), newStore("default")
	cloud.put(simcloud.KindInstance, "i-1", map[string]any{"name": "one"})
	cloud.remove(simcloud.KindInstance, "i-1")
	cloud.call("ccm", "StopInstance", "", "")
	state, err := cloud.GetState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.replaceCloud(state); err != nil {
		t.Fatal(err)
	}
	if err := s.cloudEvent(cloud.events[0]); err != nil {
		t.Fatal(err)
	}
	s.addCalls(cloud.calls, isHarness)
	s.addCalls(cloud.calls, isHarness)
	if now := s.snapshot(); ids(now, "instances") != "" || len(now.calls) != 1 {
		t.Errorf("instances%s, %d calls", ids(now, "instances"), len(now.calls))
	}
}

// TestFeedResumes: nothing is missed, and nothing seen twice, when the streams break.
func TestFeedResumes(t *testing.T) {
	follow(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		_, sub := feed.store.subscribe(map[source]bool{fromJournal: true})
		defer sub.close()
		cloud.call("ccm", "GetInstance", "", "")
		synctest.Wait()
		cloud.do(func() { cloud.broken = true })
		synctest.Wait()
		cloud.call("ccm", "StopInstance", "", "")
		cloud.put(simcloud.KindInstance, "i-2", map[string]any{"name": "two"})
		cloud.do(func() { cloud.broken = false })
		waitFor(t, feed, " i-1 i-2")
		time.Sleep(2 * streamRetry) // in fake time: both streams are back
		if s := feed.store.snapshot(); len(s.calls) != 2 || len(sub.take()) != 2 {
			t.Errorf("calls %v", s.calls)
		}
	})
}

// TestFeedReadsTheStateWhenTheCloudHasForgotten: also what was deleted meanwhile goes.
func TestFeedReadsTheStateWhenTheCloudHasForgotten(t *testing.T) {
	follow(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		synctest.Wait()
		cloud.do(func() { cloud.broken = true })
		cloud.remove(simcloud.KindInstance, "i-1")
		cloud.put(simcloud.KindInstance, "i-2", map[string]any{"name": "two"})
		cloud.do(func() { cloud.broken, cloud.oldest, cloud.events = false, cloud.revision, nil })
		waitFor(t, feed, " i-2")
	})
}

// TestCatchUp: it waits for the streams, and does without them when they are silent.
func TestCatchUp(t *testing.T) {
	for _, silent := range []bool{false, true} {
		follow(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
			synctest.Wait()
			cloud.do(func() { cloud.silent = silent })
			cloud.put(simcloud.KindInstance, "i-2", map[string]any{"name": "two"})
			cloud.call("ccm", "StopInstance", "", "")
			if err := feed.catchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s := feed.store.snapshot(); ids(s, "instances") != " i-1 i-2" || len(s.calls) != 1 {
				t.Errorf("silent %v: instances%s, %d calls", silent, ids(s, "instances"), len(s.calls))
			}
		})
	}
}

// TestCatchUpWaitsForTheCall: the change is told before the call is written down.
func TestCatchUpWaitsForTheCall(t *testing.T) {
	follow(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		feed.store.forgetOperations()
		cloud.put(simcloud.KindOperation, "op-1", map[string]any{"verb": "DeleteTarget"})
		var late sync.WaitGroup
		defer late.Wait()
		late.Go(func() {
			time.Sleep(callsLimit / 2)
			cloud.do(func() { cloud.silent = true }) // so that it is catchUp that finds the call
			cloud.call("ccm", "DeleteTarget", "load_balancer/lb-1", "")
		})
		if err := feed.catchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := feed.store.snapshot(); len(s.calls) != 1 {
			t.Errorf("calls %v", s.calls)
		}
		began := time.Now()
		cloud.put(simcloud.KindOperation, "op-2", map[string]any{"verb": "Unknown"})
		if err := feed.catchUp(t.Context()); err != nil || time.Since(began) > callsLimit+catchUpLimit {
			t.Errorf("an operation without a call: %v after %s", err, time.Since(began))
		}
	})
}

// catchUpTime is how long it takes to catch up.
func catchUpTime(t *testing.T, feed *cloudFeed) time.Duration {
	t.Helper()
	began := time.Now()
	if err := feed.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

// TestCatchUpWaitsOnceForNoCall: what nobody called for does not make each step wait,
// and that of which the answer was lost was called for.
func TestCatchUpWaitsOnceForNoCall(t *testing.T) {
	follow(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		took := func() time.Duration { return catchUpTime(t, feed) }
		feed.store.forgetOperations()
		makes := func(operation, volume simcloud.ID, agent string) {
			cloud.put(simcloud.KindOperation, operation, map[string]any{
				"verb": "CreateVolume", "resource": map[string]any{"kind": simcloud.KindVolume, "id": volume}, "caller": map[string]any{"userAgent": agent},
			})
		}
		makes("op-1", "vol-1", "ccm")
		if first, again := took(), took(); first < callsLimit || again > 0 {
			t.Errorf("it took %s, and then %s", first, again)
		}
		feed.store.harness = isHarness
		makes("op-2", "vol-2", harnessAgent)
		if first, again := took(), took(); first < briefLimit || first > 2*briefLimit || again > 0 {
			t.Errorf("with a seed it took %s, and then %s", first, again)
		}
		makes("op-3", "vol-3", "ccm")
		cloud.do(func() {
			cloud.calls = append(cloud.calls, simcloud.JournalEntry{
				Seq: uint64(len(cloud.calls) + 1), Operation: "CreateVolume", Resource: "volume/vol-3", Write: true, Code: simcloud.Unavailable,
				Fault: "fault-1", Effect: "reset", Committed: true,
			})
		})
		if lost := took(); lost > 0 {
			t.Errorf("it took %s with the call that was answered wrongly", lost)
		}
		calls := feed.store.snapshot().calls
		want := map[string]any{"code": "unavailable", "fault": "fault-1", "effect": "reset", "committed": true}
		for key, value := range want {
			if got := dig(calls[len(calls)-1], key); got != value {
				t.Errorf("%s of the call is %v, want %v", key, got, value)
			}
		}
	})
}

// TestCatchUpAfterALateCall: a call that one look did not wait for is not the call of the next operation.
func TestCatchUpAfterALateCall(t *testing.T) {
	follow(t, func(t *testing.T, cloud *fakeCloud, feed *cloudFeed) {
		feed.store.forgetOperations()
		deletes := func(id simcloud.ID) {
			resource := map[string]any{"kind": simcloud.KindLoadBalancer, "id": "lb-1"}
			cloud.put(simcloud.KindOperation, id, map[string]any{"verb": "DeleteTarget", "resource": resource})
		}
		catchUp := func() time.Duration { return catchUpTime(t, feed) }
		deletes("op-1")
		if got := catchUp(); got < callsLimit {
			t.Errorf("the call was waited for for %s", got)
		}
		cloud.call("ccm", "DeleteTarget", "load_balancer/lb-1", "")
		synctest.Wait()
		deletes("op-2")
		var late sync.WaitGroup
		defer late.Wait()
		late.Go(func() {
			time.Sleep(callsLimit / 2)
			cloud.call("ccm", "DeleteTarget", "load_balancer/lb-1", "")
		})
		if catchUp(); len(feed.store.snapshot().calls) != 2 {
			t.Errorf("calls %v", feed.store.snapshot().calls)
		}
		feed.store.setFaults(func(armed map[string]simcloud.ID) { armed["slow"] = "fault-1" },
			fault.Rule{ID: "fault-1", Name: "slow", Effect: fault.Effect{Sequence: &fault.Sequence{{}, {Delay: &fault.Delay{}}}}})
		deletes("op-3")
		if got := catchUp(); got < briefLimit || got > 2*briefLimit {
			t.Errorf("a call whose answer may be held back was waited for for %s", got)
		}
	})
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
