package observe_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// follow feeds a store from a cloud that has the instance i-1 for the time of f, in fake time.
func follow(t *testing.T, f func(t *testing.T, cloud *steptest.Cloud, feed *observe.CloudFeed)) {
	synctest.Test(t, func(t *testing.T) {
		cloud := steptest.NewCloud(t)
		cloud.Instance(t, "one")
		feed := &observe.CloudFeed{Cloud: cloud, Store: observe.NewStore("default"), Harness: steptest.IsHarness}
		followCloud(t, feed, func() { f(t, cloud, feed) })
	})
}

// followCloud lets a feed follow its cloud for the time of f.
func followCloud(t *testing.T, feed *observe.CloudFeed, f func()) {
	t.Helper()
	if err := feed.ReadState(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var streams sync.WaitGroup
	streams.Go(func() { feed.WatchEvents(ctx) })
	streams.Go(func() { feed.WatchJournal(ctx) })
	defer streams.Wait()
	defer cancel()
	f()
}

func ids(s *observe.Snapshot, variable string) string {
	text := ""
	for _, r := range s.Resources[variable] {
		text += " " + observe.ResourceID(r)
	}
	return text
}

func TestFeedFollows(t *testing.T) {
	t.Parallel()
	follow(t, func(t *testing.T, cloud *steptest.Cloud, feed *observe.CloudFeed) {
		cloud.Must(t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "two", Labels: map[string]string{"a": "b"}}))
		cloud.Must(t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb"}))
		cloud.Must(t)(cloud.DeleteInstance(t.Context(), "i-1"))
		cloud.Must(t)(cloud.CCM.GetInstance(t.Context(), "i-2"))
		cloud.Must(t)(cloud.ListInstances(t.Context(), simcloud.ListOptions{}))
		if _, err := cloud.CCM.DeleteVolume(t.Context(), "vol-9"); err == nil {
			t.Error("a volume that does not exist was deleted")
		}
		synctest.Wait()
		s := feed.Store.Snapshot()
		if ids(s, "instances") != " i-2" || ids(s, "loadBalancers") != " lb-1" {
			t.Errorf("instances%s, load balancers%s", ids(s, "instances"), ids(s, "loadBalancers"))
		}
		if len(s.Calls) != 2 || observe.Dig(s.Calls[1], "code") != "not_found" || observe.Dig(s.Calls[0], "write") != false {
			t.Errorf("calls %v", s.Calls)
		}
		if got := observe.Dig(s.Resources["loadBalancers"][0], "labels"); got == nil {
			t.Error("a load balancer without labels has no empty labels")
		}
	})
}

// TestStoreIgnoresWhatItHasSeen: a stream that lags behind a read brings nothing back.
func TestStoreIgnoresWhatItHasSeen(t *testing.T) {
	t.Parallel()
	cloud, s := steptest.NewCloud(t), observe.NewStore("default")
	before := cloud.State(t).Revision
	cloud.Instance(t, "one")
	cloud.Must(t)(cloud.DeleteInstance(t.Context(), "i-1"))
	cloud.CCMCalls(t, "StopInstance")
	state, err := cloud.GetState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ReplaceCloud(state); err != nil {
		t.Fatal(err)
	}
	for event, err := range cloud.WatchEvents(t.Context(), before) {
		if err == nil {
			err = s.CloudEvent(event)
		}
		if err != nil {
			t.Fatal(err)
		}
		if event.Revision == state.Revision {
			break
		}
	}
	calls := cloud.Calls(t, "StopInstance")
	s.AddCalls(calls, steptest.IsHarness)
	s.AddCalls(calls, steptest.IsHarness)
	if now := s.Snapshot(); ids(now, "instances") != "" || len(now.Calls) != 1 {
		t.Errorf("instances%s, %d calls", ids(now, "instances"), len(now.Calls))
	}
}

// TestFeedResumes: nothing is missed, and nothing seen twice, when the streams break.
func TestFeedResumes(t *testing.T) {
	t.Parallel()
	follow(t, func(t *testing.T, cloud *steptest.Cloud, feed *observe.CloudFeed) {
		_, sub := feed.Store.Subscribe(map[observe.Source]bool{observe.FromJournal: true})
		defer sub.Cancel()
		cloud.CCMCalls(t, "GetInstance")
		synctest.Wait()
		cloud.Link(true)
		synctest.Wait()
		cloud.CCMCalls(t, "StopInstance")
		cloud.Instance(t, "two")
		cloud.Link(false)
		waitFor(t, feed, " i-1 i-2")
		time.Sleep(2 * observe.StreamRetry) // in fake time: both streams are back
		if s := feed.Store.Snapshot(); len(s.Calls) != 2 || len(sub.Take()) != 2 {
			t.Errorf("calls %v", s.Calls)
		}
	})
}

// TestFeedReadsTheStateWhenTheCloudHasForgotten: also what was deleted meanwhile goes.
func TestFeedReadsTheStateWhenTheCloudHasForgotten(t *testing.T) {
	t.Parallel()
	follow(t, func(t *testing.T, cloud *steptest.Cloud, feed *observe.CloudFeed) {
		synctest.Wait()
		cloud.Link(true)
		cloud.Must(t)(cloud.DeleteInstance(t.Context(), "i-1"))
		cloud.Instance(t, "two")
		cloud.Forget(t)
		cloud.Link(false)
		waitFor(t, feed, " i-2")
	})
}

// TestCatchUp: it waits for the stream as long as that takes, also when it is lost meanwhile.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]struct{ spoil, repair func(cloud *steptest.Cloud) }{
		"a stream that lags": {
			func(cloud *steptest.Cloud) { cloud.Lag(steptest.EventStream, steptest.CallStream) }, func(cloud *steptest.Cloud) { cloud.Lag() },
		},
		"a stream that broke": {
			func(cloud *steptest.Cloud) { cloud.Link(true) }, func(cloud *steptest.Cloud) { cloud.Link(false) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			follow(t, func(t *testing.T, cloud *steptest.Cloud, feed *observe.CloudFeed) {
				synctest.Wait()
				way.spoil(cloud)
				synctest.Wait()
				cloud.Instance(t, "two")
				cloud.CCMCalls(t, "StopInstance")
				caught := catchingUp(t, feed)
				time.Sleep(time.Hour) // in fake time
				if len(caught) > 0 {
					t.Fatal("it has caught up without the stream")
				}
				way.repair(cloud)
				if err := <-caught; err != nil {
					t.Fatal(err)
				}
				if s := feed.Store.Snapshot(); ids(s, "instances") != " i-1 i-2" || len(s.Calls) != 1 {
					t.Errorf("instances%s, %d calls", ids(s, "instances"), len(s.Calls))
				}
			})
		})
	}
}

// catchingUp lets the feed catch up, and returns where its error comes.
func catchingUp(t *testing.T, feed *observe.CloudFeed) <-chan error {
	t.Helper()
	caught := make(chan error, 1)
	go func() { caught <- feed.CatchUp(t.Context()) }()
	return caught
}

// TestCatchUpWaitsForTheCall: the change is told before the call is written down, however long that takes.
func TestCatchUpWaitsForTheCall(t *testing.T) {
	t.Parallel()
	follow(t, func(t *testing.T, cloud *steptest.Cloud, feed *observe.CloudFeed) {
		targets := []simcloud.TargetSpec{{Instance: "i-1"}}
		cloud.Must(t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb", Targets: targets}))
		cloud.Must(t)(cloud.AddFault(t.Context(), fault.Rule{
			Match: fault.Match{Operation: "DeleteTarget"}, Effect: fault.Effect{Reset: &fault.Reset{When: fault.After}},
		}))
		cloud.Lag(steptest.CallStream) // so that it is catchUp that finds the calls
		if _, err := cloud.CCM.DeleteTarget(t.Context(), "lb-1", "i-1"); err == nil {
			t.Error("an answer that was lost has come")
		}
		pending := cloud.Sim.Journal().Begin() // as the server does for another call
		caught := catchingUp(t, feed)
		time.Sleep(time.Hour) // in fake time
		if len(caught) > 0 {
			t.Fatal("it has caught up without the call")
		}
		pending.Record(simcloud.JournalEntry{Operation: "CreateVolume", DialectOperation: "ec2:CreateVolume", Write: true, Committed: true})
		if err := <-caught; err != nil {
			t.Fatal(err)
		}
		calls := feed.Store.Snapshot().Calls
		if len(calls) != 2 || observe.Dig(calls[1], "operation") != "CreateVolume" || observe.Dig(calls[1], "dialectOperation") != "ec2:CreateVolume" {
			t.Fatalf("the calls are %v", calls)
		}
		state := cloud.State(t)
		operation := state.Operations[len(state.Operations)-1]
		want := map[string]any{
			"operation": "DeleteTarget", "code": "unavailable", "fault": "fault-1", "effect": "reset", "committed": true, "write": true,
			"resource": "load_balancer/lb-1", "userAgent": steptest.CCMAgent, "operationID": string(operation.ID), "requestID": operation.RequestID,
		}
		for key, value := range want {
			if got := observe.Dig(calls[0], key); got != value {
				t.Errorf("%s of the call is %v, want %v", key, got, value)
			}
		}
	})
}

// TestCatchUpEnds: who does not wait any more is told how far the events have come.
func TestCatchUpEnds(t *testing.T) {
	t.Parallel()
	follow(t, func(t *testing.T, cloud *steptest.Cloud, feed *observe.CloudFeed) {
		synctest.Wait()
		cloud.Lag(steptest.EventStream)
		before := cloud.State(t).Revision
		cloud.Instance(t, "two")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		want := fmt.Sprintf("revision %d of %d", before, cloud.State(t).Revision)
		if err := feed.CatchUp(ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

// deedsOf keeps the changes that a store tells of.
type deedsOf struct {
	observe.NopObserver

	all []observe.Change
}

func (d *deedsOf) ChangeDone(done observe.Change) { d.all = append(d.all, done) }

// text is what the changes are, in their order, with the states before and after each.
func (d *deedsOf) text() string {
	var all []string
	for _, done := range d.all {
		all = append(all, fmt.Sprintf("%s %s %s %v-%v", done.OperationID, done.Operation, done.Ref, done.Before["state"], done.After["state"]))
	}
	return strings.Join(all, ", ")
}

// TestDeedsByCause: a change is of the operation that has caused it, whatever else happens between the two.
func TestDeedsByCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, seen := steptest.NewCloud(t), &deedsOf{}
		s, ctx := observe.NewStore("default", seen), t.Context()
		cloud.Instance(t, "one")
		cloud.Instance(t, "two")
		both := []simcloud.TargetSpec{{Instance: "i-1"}, {Instance: "i-2"}}
		cloud.Must(t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb", Targets: both}))
		cloud.Must(t)(cloud.StopInstance(ctx, "i-2"))
		cloud.Must(t)(cloud.SaveSnapshot(ctx, simcloud.SnapshotSpec{Name: "stopped"}))
		cloud.Must(t)(cloud.StartInstance(ctx, "i-2"))
		slow := map[simcloud.Kind]simcloud.Progression{
			simcloud.KindInstance: {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute)},
		}
		cloud.Must(t)(cloud.UpdateConfig(ctx, simcloud.ConfigUpdate{Progressions: &slow}))
		if err := s.ReplaceCloud(cloud.State(t)); err != nil {
			t.Fatal(err)
		}
		s.BeginChanges()

		cloud.Must(t)(cloud.LoadSnapshot(ctx, "stopped")) // changes i-2 and its target, and is no operation
		stop, err := cloud.StopInstance(ctx, "i-1")       // changes its target too, when it is ready
		cloud.Must(t)(stop, err)
		cloud.Must(t)(cloud.StopInstance(ctx, "i-2")) // it is stopped already
		remove, err := cloud.DeleteTarget(ctx, "lb-1", "i-2")
		cloud.Must(t)(remove, err)
		time.Sleep(time.Hour) // in fake time

		cloud.Tell(t, s)
		want := fmt.Sprintf("%[1]s StopInstance instance/i-1 running-stopping, %[2]s DeleteTarget load_balancer/lb-1 active-active, "+
			"%[1]s StopInstance instance/i-1 stopping-stopped", stop.Operation.ID, remove.Operation.ID)
		if got := seen.text(); got != want {
			t.Errorf("deeds %s\nwant  %s", got, want)
		}
		if state := cloud.State(t); state.Instances[0].State != simcloud.InstanceStopped || state.LoadBalancers[0].Targets[0].Health != simcloud.TargetUnhealthy {
			t.Errorf("%v, %v", state.Instances[0], state.LoadBalancers[0])
		}
	})
}

// TestDeedsOfAState: a state tells which operations there are; the last one about a resource has changed it.
func TestDeedsOfAState(t *testing.T) {
	t.Parallel()
	cloud, seen := steptest.NewCloud(t), &deedsOf{}
	s, ctx := observe.NewStore("default", seen), t.Context()
	s.BeginChanges()
	cloud.Instance(t, "one")
	cloud.Instance(t, "two")
	cloud.Must(t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb", Targets: []simcloud.TargetSpec{{Instance: "i-1"}}}))
	read := func() {
		seen.all = nil
		if err := s.ReplaceCloud(cloud.State(t)); err != nil {
			t.Error(err)
		}
	}
	read()
	rename := func(id simcloud.ID, name string) simcloud.ID {
		renamed, err := cloud.UpdateInstance(ctx, id, simcloud.InstanceUpdate{Name: &name})
		cloud.Must(t)(renamed, err)
		return renamed.Operation.ID
	}
	rename("i-2", "three")
	stop, err := cloud.StopInstance(ctx, "i-1") // changes the load balancer too, which no operation since then is about
	cloud.Must(t)(stop, err)
	last := rename("i-2", "four")
	read()
	want := fmt.Sprintf("%s StopInstance instance/i-1 running-stopped, %s UpdateInstance instance/i-2 running-running", stop.Operation.ID, last)
	if got := seen.text(); got != want {
		t.Errorf("deeds %s, want %s", got, want)
	}
	if health := cloud.State(t).LoadBalancers[0].Targets[0].Health; health != simcloud.TargetUnhealthy {
		t.Errorf("the target is %s", health)
	}
}

func waitFor(t *testing.T, feed *observe.CloudFeed, instances string) {
	t.Helper()
	st := &step.Stage{Store: feed.Store}
	ctx, cancel := context.WithTimeout(t.Context(), scenarios.DefaultStepTimeout)
	defer cancel()
	if err := st.Until(ctx, observe.FromCloud, func(s *observe.Snapshot) bool { return ids(s, "instances") == instances }); err != nil {
		t.Fatalf("want%s, have%s: %v", instances, ids(feed.Store.Snapshot(), "instances"), err)
	}
}
