package fault_test

import (
	"errors"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

func TestLock(t *testing.T) {
	t.Parallel()
	l := newLab(t, simtest.ManualClock())
	ctx := t.Context()
	a, b := l.create("a", nil), l.create("b", nil)
	rule := l.add(`{"match": {"operation": "GetInstance", "resource": "a"}, "when": {"times": 1}, "effect": {"lock": {"for": "30s"}}}`)

	if _, err := l.StopInstance(ctx, a.ID); err != nil {
		t.Errorf("before the rule fires: %v", err)
	}
	if _, err := l.GetInstance(ctx, a.ID); err != nil {
		t.Errorf("the read at which it fires: %v", err)
	}
	if _, err := l.AdvanceClock(ctx, simcloud.Duration(10*time.Second)); err != nil {
		t.Fatal(err)
	}
	_, err := l.StartInstance(ctx, a.ID)
	var e *simcloud.Error
	if !errors.As(err, &e) || e.Code != simcloud.Locked || e.RetryAfter != 20*time.Second || e.Resource != "instance/"+string(a.ID) {
		t.Errorf("got %#v, want Locked for 20s", err)
	}
	if entry := l.recorded(rule.ID); entry.Effect != "lock" {
		t.Errorf("journal %+v", entry)
	}
	_, err = l.DeleteInstance(ctx, a.ID)
	l.want(err, simcloud.Locked)
	if _, err := l.GetInstance(ctx, a.ID); err != nil {
		t.Errorf("a read: %v", err)
	}
	if _, err := l.StopInstance(ctx, b.ID); err != nil {
		t.Errorf("another instance: %v", err)
	}
	if _, err := l.AdvanceClock(ctx, simcloud.Duration(20*time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.StartInstance(ctx, a.ID); err != nil {
		t.Errorf("after its time: %v", err)
	}
	if l.hits(rule.ID) != 1 {
		t.Errorf("%d hits, want the one at which it was locked", l.hits(rule.ID))
	}
}

// TestLockOfAChange: the change at which the rule fires is the first that is refused.
func TestLockOfAChange(t *testing.T) {
	t.Parallel()
	l := newLab(t, simtest.ManualClock())
	a := l.create("a", nil)
	l.add(`{"match": {"operation": "StopInstance"}, "when": {"times": 1}, "effect": {"lock": {"for": "30s"}}}`)
	_, err := l.StopInstance(t.Context(), a.ID)
	l.want(err, simcloud.Locked)
	_, err = l.RebootInstance(t.Context(), a.ID)
	l.want(err, simcloud.Locked)
	if err := l.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.StopInstance(t.Context(), a.ID); err != nil {
		t.Errorf("once the rule is gone: %v", err)
	}
}

// TestLockOfACreation: what was created is locked from then on.
func TestLockOfACreation(t *testing.T) {
	t.Parallel()
	l := newLab(t, simtest.ManualClock())
	l.add(`{"name": "busy", "arm": "label", "match": {"operation": "Create*"}, "effect": {"lock": {"for": "30s"}}}`)
	l.add(`{"match": {"operation": "WatchEvents"}, "effect": {"ok": {}}}`) // stays when the other one goes
	a, b := l.create("a", map[string]string{"sim.simcloud.dev/fault": "busy"}), l.create("b", nil)
	_, err := l.StopInstance(t.Context(), a.ID)
	l.want(err, simcloud.Locked)
	if _, err := l.StopInstance(t.Context(), b.ID); err != nil {
		t.Error(err)
	}
	if err := l.DeleteFault(t.Context(), "busy"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.StopInstance(t.Context(), a.ID); err != nil {
		t.Errorf("once the rule is gone: %v", err)
	}
}

// TestLoadUnlocks: a snapshot that is loaded has its own resources under the same ids.
func TestLoadUnlocks(t *testing.T) {
	t.Parallel()
	l := newLab(t, simtest.ManualClock())
	if _, err := l.SaveSnapshot(t.Context(), simcloud.SnapshotSpec{Name: "empty"}); err != nil {
		t.Fatal(err)
	}
	l.add(`{"match": {"operation": "CreateInstance"}, "when": {"times": 1}, "effect": {"lock": {"for": "1h"}}}`)
	first := l.create("a", nil)
	if _, err := l.LoadSnapshot(t.Context(), "empty"); err != nil {
		t.Fatal(err)
	}
	second := l.create("b", nil)
	if _, err := l.StopInstance(t.Context(), second.ID); err != nil || second.ID != first.ID {
		t.Errorf("%s: %v", second.ID, err)
	}
}

// TestResetUnlocks: after a reset the ids name other resources, which are not locked.
func TestResetUnlocks(t *testing.T) {
	t.Parallel()
	l := newLab(t, simtest.ManualClock())
	l.add(`{"match": {"operation": "CreateInstance"}, "when": {"times": 1}, "effect": {"lock": {"for": "1h"}}}`)
	first := l.create("a", nil)
	_, err := l.StopInstance(t.Context(), first.ID)
	l.want(err, simcloud.Locked)
	if err := l.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := l.create("b", nil)
	if _, err := l.StopInstance(t.Context(), second.ID); err != nil || second.ID != first.ID {
		t.Errorf("%s: %v", second.ID, err)
	}
}

// TestArmedByLabel: the rule holds for what carries its name, from its creation on.
func TestArmedByLabel(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"name": "doomed", "arm": "label", "effect": {"error": {"code": "capacity"}}}`)
	labels := map[string]string{"sim.simcloud.dev/fault": "doomed"}
	_, err := l.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a", Labels: labels})
	l.want(err, simcloud.Capacity)
	if _, err := l.ListInstances(t.Context(), simcloud.ListOptions{}); err != nil {
		t.Errorf("a list is about no resource: %v", err)
	}
	b := l.create("b", map[string]string{"sim.simcloud.dev/fault": "another"})
	if _, err := l.GetInstance(t.Context(), b.ID); err != nil {
		t.Error(err)
	}
	if _, err := l.UpdateInstance(t.Context(), b.ID, simcloud.InstanceUpdate{Labels: &labels}); err != nil {
		t.Error(err)
	}
	_, err = l.GetInstance(t.Context(), b.ID)
	l.want(err, simcloud.Capacity)
	if rule, err := l.GetFault(t.Context(), "doomed"); err != nil || rule.Calls != 2 || rule.Hits != 2 {
		t.Errorf("the rule has %d hits in %d calls, %v; want 2 in 2", rule.Hits, rule.Calls, err)
	}
}

func TestSequence(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"name": "steps", "match": {"operation": "ListRegions"},
		"effect": {"sequence": [{"error": {"code": "unavailable"}}, {"ok": {}}, {"error": {"code": "timeout"}}, {"garble": {"body": "null"}}]}}`)
	for i, want := range []simcloud.Code{simcloud.Unavailable, "", simcloud.Timeout, simcloud.Unavailable, "", ""} {
		_, err := l.ListRegions(t.Context(), simcloud.ListOptions{})
		if got := simcloud.CodeOf(err); got != want {
			t.Errorf("call %d: %v, want %q", i+1, err, want)
		}
	}
	if rule, err := l.GetFault(t.Context(), "steps"); err != nil || rule.Calls != 6 || rule.Hits != 4 {
		t.Errorf("%d hits in %d calls, %v; want 4 in 6", rule.Hits, rule.Calls, err)
	}
}

// TestFirstWins: the oldest rule that fires changes the call, the others count it.
func TestFirstWins(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"name": "shield", "match": {"caller": "friend/*"}, "effect": {"ok": {}}}`)
	l.add(`{"name": "first", "match": {"operation": "ListRegions"}, "when": {"times": 1}, "effect": {"error": {"code": "conflict"}}}`)
	l.add(`{"name": "second", "match": {"operation": "List*"}, "effect": {"error": {"code": "timeout"}}}`)
	friend := l.dial(func(cfg *client.Config) { cfg.UserAgent = "friend/2" })
	if _, err := friend.ListRegions(t.Context(), simcloud.ListOptions{}); err != nil {
		t.Error(err)
	}
	for _, want := range []simcloud.Code{simcloud.Conflict, simcloud.Timeout} {
		_, err := l.ListRegions(t.Context(), simcloud.ListOptions{})
		l.want(err, want)
	}
	for name, want := range map[simcloud.ID][2]uint64{"shield": {1, 1}, "first": {3, 1}, "second": {3, 1}} {
		rule, err := l.GetFault(t.Context(), name)
		if err != nil || rule.Calls != want[0] || rule.Hits != want[1] {
			t.Errorf("%s: %d calls, %d hits, %v; want %v", name, rule.Calls, rule.Hits, err, want)
		}
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	l := newLab(t, simtest.ManualClock())
	ctx := t.Context()
	l.add(`{"match": {"operation": "CreateInstance"}, "when": {"times": 1}, "effect": {"state": {"to": "error", "after": "30s"}}}`)
	created, err := l.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"})
	if err != nil || created.Resource.State != simcloud.InstancePending || created.Operation.State != simcloud.OperationRunning {
		t.Errorf("got %+v, %v", created, err)
	}
	if right := l.create("b", nil); right.State != simcloud.InstanceRunning {
		t.Errorf("the next one is %s", right.State)
	}
	if _, err := l.AdvanceClock(ctx, simcloud.Duration(30*time.Second)); err != nil {
		t.Fatal(err)
	}
	op, err := l.WaitOperation(ctx, created.Operation.ID)
	if err != nil || op.State != simcloud.OperationFailed || op.Error == "" {
		t.Errorf("the operation is %+v, %v", op, err)
	}
	if got, err := l.GetInstance(ctx, created.Resource.ID); err != nil || got.State != simcloud.InstanceError {
		t.Errorf("the instance is %s, %v", got.State, err)
	}
}
