package timeline

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// lines writes moments as "lane at-until title", with ! for what failed.
func lines(all []scenarios.TimelineEntry) []string {
	var lines []string
	for _, m := range all {
		line := fmt.Sprintf("%s %.1f", m.Lane, m.At)
		if m.Until > 0 {
			line += fmt.Sprintf("-%.1f", m.Until)
		}
		if m.Failed {
			line += "!"
		}
		lines = append(lines, line+" "+m.Title)
	}
	return lines
}

// recorded is the timeline of what f tells a recorder that has begun.
func recorded(t *testing.T, f func(r *Recorder)) []scenarios.TimelineEntry {
	t.Helper()
	var all []scenarios.TimelineEntry
	synctest.Test(t, func(*testing.T) {
		r := New(time.Now())
		r.Begin(r.start)
		f(r)
		all = r.Timeline()
	})
	return all
}

func wantLines(t *testing.T, got []scenarios.TimelineEntry, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("the timeline (-want +got):\n%s", diff)
	}
}

func callOf(operation, resource string, write bool) simcloud.JournalEntry {
	return simcloud.JournalEntry{Time: time.Now(), Operation: operation, Resource: resource, Write: write, Status: 200, Duration: simcloud.Duration(100 * time.Millisecond)}
}

// TestTimelineOfCalls: each has the time that it took; equal reads of a burst are one moment.
func TestTimelineOfCalls(t *testing.T) {
	all := recorded(t, func(r *Recorder) {
		time.Sleep(time.Second)
		r.CallMade(callOf("CreateLoadBalancer", "load_balancer/lb-1", true))
		for i := range 3 {
			time.Sleep(200 * time.Millisecond)
			r.CallMade(callOf("GetInstance", fmt.Sprintf("instance/i-%d", i), false))
		}
		lost := callOf("GetInstance", "instance/i-9", false)
		lost.Code, lost.Status, lost.Fault, lost.Effect = simcloud.Unavailable, 0, "fault-1", "reset"
		r.CallMade(lost)
		time.Sleep(time.Second)
		for _, ahead := range []time.Duration{time.Hour, -time.Hour} { // by the clock of the cloud
			late := callOf("DeleteRoute", "route_table/rt-1", true)
			late.Time = time.Now().Add(ahead)
			r.CallMade(late)
		}
	})
	wantLines(t, all,
		"calls 0.9-1.0 CreateLoadBalancer load_balancer/lb-1",
		"calls 1.1-1.6 GetInstance ×3",
		"calls 1.5-1.6! GetInstance instance/i-9 → unavailable (reset)",
		"faults 1.5-1.6 fault-1: reset of GetInstance",
		"calls 2.5-2.6 DeleteRoute route_table/rt-1",
		"calls 2.5-2.6 DeleteRoute route_table/rt-1",
	)
	if got := all[1].Detail; got["times"] != "3" || got["resource"] != "several" || got["answer"] != "200 " {
		t.Errorf("the reads: %v", got)
	}
}

// TestTimelineHasAnEnd: a storm of calls does not fill a report. What cannot be
// left out is there, and so are the calls at the end, where something failed.
func TestTimelineHasAnEnd(t *testing.T) {
	for _, storm := range []struct{ calls, shown, left int }{
		{mostMoments - 1, mostMoments, 0}, {mostMoments + 10, mostMoments + 1, 11}, {mostRecorded + 10, mostMoments + 1, mostRecorded - mostMoments + 2},
	} {
		all := recorded(t, func(r *Recorder) {
			for i := range storm.calls {
				time.Sleep(time.Millisecond)
				r.CallMade(callOf("CreateRoute", fmt.Sprintf("route_table/rt-%d", i+1), true))
			}
			r.Verdict(scenarios.Failure{Oracle: "leak", Headline: "something is left"})
		})
		text := strings.Join(lines(all), "\n")
		if got := all[len(all)-1].Title; len(all) != storm.shown || !strings.Contains(text, "leak: something is left") {
			t.Errorf("of %d calls there are %d moments, the last is %q", storm.calls, len(all), got)
		}
		if want := fmt.Sprintf("%d more moments left out", storm.left); strings.Contains(text, want) != (storm.left > 0) {
			t.Errorf("of %d calls it does not say %q", storm.calls, want)
		}
		if last := fmt.Sprintf("rt-%d\n", min(storm.calls, mostRecorded)); !strings.Contains(text, "rt-1\n") || !strings.Contains(text, last) {
			t.Errorf("of %d calls the first or the last is not there", storm.calls)
		}
	}
}

// TestTimelineOfFaults: a rule lasts until it is cleared, or replaced by one of its name, or until the end.
func TestTimelineOfFaults(t *testing.T) {
	rule := func(id simcloud.ID, hits uint64) fault.Rule {
		return fault.Rule{ID: id, Name: "lost", Hits: hits, Effect: fault.Effect{Hang: &fault.Hang{}}}
	}
	all := recorded(t, func(r *Recorder) {
		r.FaultsSeen(map[string]simcloud.ID{"lost": "fault-1"}, []fault.Rule{rule("fault-1", 0)})
		time.Sleep(time.Second)
		r.FaultsSeen(map[string]simcloud.ID{"lost": "fault-1"}, []fault.Rule{rule("fault-1", 2), {ID: "fault-9", Name: "another client's"}})
		r.FaultsSeen(map[string]simcloud.ID{}, nil)
		time.Sleep(time.Second)
		r.FaultsSeen(map[string]simcloud.ID{"lost": "fault-2"}, []fault.Rule{rule("fault-2", 0)})
		time.Sleep(time.Second)
		r.FaultsSeen(map[string]simcloud.ID{"lost": "fault-3"}, []fault.Rule{rule("fault-3", 0)})
		time.Sleep(time.Second)
	})
	wantLines(t, all, "faults 0.0-1.0 fault lost", "faults 2.0-3.0 fault lost", "faults 3.0-4.0 fault lost")
	if got := all[0].Detail; got["hits"] != "2" || got["effect"] != `{"hang":{}}` {
		t.Errorf("the rule: %v", got)
	}
}

// TestTimelineOfTheCCM: how long it ran, and how it ended.
func TestTimelineOfTheCCM(t *testing.T) {
	state := func(running, standby, killed bool, token string) map[string]any {
		return map[string]any{"running": running, "killed": killed, "tokenID": token, "standby": map[string]any{"running": standby}}
	}
	all := recorded(t, func(r *Recorder) {
		r.CCMSeen(state(true, false, false, "t-1"))
		time.Sleep(time.Second)
		r.CCMSeen(state(true, true, false, "t-2"))
		time.Sleep(time.Second)
		r.CCMSeen(state(false, true, true, "t-2"))
		r.Exits("the CCM", replica{exits: []control.Exit{{Time: time.Now().Add(-500 * time.Millisecond), Reason: "exit status 2"}, {Reason: "it panicked"}}})
		time.Sleep(time.Second)
		r.Exits("the standby", replica{exits: []control.Exit{{Time: time.Now().Add(-500 * time.Millisecond), Reason: "exit status 3"}}})
	})
	wantLines(t, all,
		"ccm 0.0-1.5 the CCM runs", "ccm 1.0-2.5 the standby runs", "ccm 1.0 the CCM has another token",
		"ccm 1.5! the CCM did not stay alive: exit status 2", "ccm 2.0 the CCM was killed at a call, as ordered", "ccm 2.0! the CCM did not stay alive: it panicked",
		"ccm 2.5! the standby did not stay alive: exit status 3",
	)
	wantLines(t, recorded(t, func(r *Recorder) {
		r.CCMSeen(state(true, false, false, ""))
		time.Sleep(time.Second)
		r.Exits("the CCM", replica{running: true, exits: []control.Exit{{Time: time.Now(), Reason: "its pod was restarted"}}})
		time.Sleep(time.Second)
	}), "ccm 0.0-2.0 the CCM runs", "ccm 1.0! the CCM did not stay alive: its pod was restarted")
}

// replica is one that has ended in some ways.
type replica struct {
	running bool
	exits   []control.Exit
}

func (r replica) Running() bool { return r.running }

func (r replica) Exits() []control.Exit { return r.exits }

// TestTimelineOfChanges: what comes, goes and changes in a way that matters; what was there before is no news.
func TestTimelineOfChanges(t *testing.T) {
	node := func(taint, heartbeat string) map[string]any {
		n := map[string]any{
			"metadata": map[string]any{"name": "a", "uid": "u-1"}, "spec": map[string]any{"providerID": "any://i-1"},
		}
		n["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "lastHeartbeatTime": heartbeat}}}
		if taint != "" {
			n["spec"].(map[string]any)["taints"] = []any{map[string]any{"key": taint}}
		}
		return n
	}
	route := func(destination, vm, state string) any {
		return map[string]any{"destination": destination, "nextHop": map[string]any{"instance": vm}, "state": state}
	}
	table := func(routes ...any) map[string]any { return map[string]any{"name": "main", "routes": routes} }
	all := recorded(t, func(r *Recorder) {
		r.open = false
		r.ResourceChanged("networks", "net-1", nil, map[string]any{"name": "net"})
		r.Begin(r.start)
		r.ObjectChanged(nil, "nodes", nil, node("uninitialized", "1"))
		r.ObjectChanged(nil, "nodes", node("uninitialized", "1"), node("", "1"))
		r.ObjectChanged(nil, "nodes", node("", "1"), node("", "2"))
		r.ObjectChanged(nil, "endpointSlices", nil, node("", "2"))
		r.ObjectChanged(nil, "nodes", node("", "2"), nil)
		active, blackhole := route("10.1.0.0/24", "i-1", "active"), route("10.1.0.0/24", "i-1", "blackhole")
		r.ResourceChanged("routeTables", "rt-1", table(active), table(blackhole))
		r.ResourceChanged("routeTables", "rt-1", table(blackhole), table(active, route("10.2.0.0/24", "i-2", "active")))
		r.ChangeDone(observe.Change{ID: "rt-1", Operation: "CreateRoute", OperationID: "op-7", Caller: simcloud.Caller{UserAgent: "my-ccm/1"}})
		r.ResourceChanged("operations", "op-1", nil, map[string]any{})
		r.EventSeen(map[string]any{"type": "Warning", "reason": "Failed", "message": "no\nroom", "involvedObject": map[string]any{"kind": "Service", "name": "web"}})
	})
	wantLines(t, all,
		"kube 0.0 node a created", "kube 0.0 node a taints: uninitialized → none", "kube 0.0 node a deleted",
		"cloud 0.0 rt-1 main routes: 10.1.0.0/24 to i-1, active → 10.1.0.0/24 to i-1, blackhole",
		"cloud 0.0 rt-1 main routes: −10.1.0.0/24 to i-1, blackhole +10.1.0.0/24 to i-1, active +10.2.0.0/24 to i-2, active",
		"kube 0.0 Event Warning Failed service/web: no room",
	)
	if got := all[4].Detail["by"]; got != "CreateRoute of my-ccm/1" {
		t.Errorf("the route was made by %q", got)
	}
	made := callOf("CreateRoute", "route_table/rt-1", true)
	made.OperationID = "op-7"
	call := recorded(t, func(r *Recorder) { r.CallMade(made) })[0]
	if got := all[4].Detail["operationID"]; got != "op-7" || call.Detail["operationID"] != got || all[3].Detail["operationID"] != "" {
		t.Errorf("the change is of the operation %q, its call of %q", got, call.Detail["operationID"])
	}
}

// TestTimelineOfVerdicts: they stand where the oracle saw what it objects to, if it can say.
func TestTimelineOfVerdicts(t *testing.T) {
	wantLines(t, recorded(t, func(r *Recorder) {
		time.Sleep(2 * time.Second)
		r.Verdict(scenarios.Failure{Oracle: "leak", Headline: "something is left"})
		r.Verdict(scenarios.Failure{Oracle: "node-kept", Headline: "a Node is gone", At: 0.5})
	}), "oracles 0.5! node-kept: a Node is gone", "oracles 2.0! leak: something is left")
}

// TestTimelineOfExchanges: a call has what it sent and got; of too much, the latest calls have it, and
// a scenario that passed has none.
func TestTimelineOfExchanges(t *testing.T) {
	const each = 64 << 10
	all := recorded(t, func(r *Recorder) {
		for n := range 2*mostExchanged/each + 10 {
			e := callOf(fmt.Sprint("Create", n), "", n%2 == 0)
			e.Exchange = &simcloud.Exchange{Got: &simcloud.Body{Text: strings.Repeat("x", each)}}
			r.CallMade(e)
		}
	})
	with := 0
	for n, m := range all {
		if m.Exchange != nil {
			with++
		} else if with > 0 {
			t.Fatalf("the call %d has lost what it got, and an earlier one has not", n)
		}
	}
	if with != mostExchanged/each {
		t.Errorf("%d calls have what they got, want %d", with, mostExchanged/each)
	}
	for _, m := range WithoutStates(all) {
		if m.Exchange != nil {
			t.Fatal("a scenario that passed has bodies")
		}
	}
}
