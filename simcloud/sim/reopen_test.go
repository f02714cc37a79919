package sim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestReopen: an ephemeral cloud goes on at its address, with its token, its
// resources, its clock and its streams; what was held in memory is gone.
func TestReopen(t *testing.T) {
	t.Parallel()
	first, err := sim.Open(t.Context(), sim.Config{Ephemeral: true, Clock: simcloud.ClockSpec{Mode: simcloud.ClockReal}})
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, client.Config{Endpoint: first.URL(), Token: first.Token(), Retries: -1})
	made, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}); err != nil {
		t.Fatal(err)
	}
	rule := fault.Rule{Match: fault.Match{Operation: "StopInstance"}, Effect: fault.Effect{Hang: &fault.Hang{}}}
	rule, err = c.AddFault(t.Context(), rule)
	if err != nil {
		t.Fatal(err)
	}
	hung := make(chan error, 1)
	go func() {
		// Unlike a read, net/http does not repeat it by itself when the connection ends.
		_, err := c.StopInstance(context.WithoutCancel(t.Context()), made.Resource.ID)
		hung <- err
	}()
	waittest.For(t, "the call hangs", func() bool {
		hit, err := c.GetFault(t.Context(), rule.ID)
		return err == nil && hit.Hits == 1
	})
	calls, err := c.ListJournal(t.Context(), simcloud.JournalFilter{})
	if err != nil {
		t.Fatal(err)
	}

	second, err := first.Reopen(t.Context(), 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, second) })
	if err := <-hung; err == nil {
		t.Error("the call that hung ended well")
	}
	if second.URL() != first.URL() || second.Token() != first.Token() {
		t.Errorf("at %s, was at %s; same token: %t", second.URL(), first.URL(), second.Token() == first.Token())
	}
	got, err := c.GetInstance(t.Context(), made.Resource.ID)
	if err != nil || got.Version != made.Resource.Version {
		t.Errorf("instance %+v, %v", got, err)
	}
	if clock, err := c.GetClock(t.Context()); err != nil || clock.Mode != simcloud.ClockManual {
		t.Errorf("clock %+v, %v: want manual, as it was set", clock, err)
	}
	if rules, err := c.ListFaults(t.Context()); err != nil || len(rules) > 0 {
		t.Errorf("rules %+v, %v: want none", rules, err)
	}
	goesOn(t, c, calls[len(calls)-1], made.Resource.Version)
	if err := first.Close(t.Context()); err != nil {
		t.Errorf("close the old one: %v", err)
	}
	if _, err := first.Reopen(t.Context(), time.Second); !errors.Is(err, simcloud.Conflict) {
		t.Errorf("reopen the old one: %v, want Conflict", err)
	}
}

// goesOn checks that both streams can be resumed where they ended.
func goesOn(t *testing.T, c *client.Client, call simcloud.JournalEntry, revision uint64) {
	t.Helper()
	for entry, err := range c.WatchJournal(t.Context(), simcloud.JournalFilter{After: call.Seq - 1}) {
		if diff := cmp.Diff(call, entry); err != nil || diff != "" {
			t.Errorf("call %d, %v (-before +after):\n%s", call.Seq, err, diff)
		}
		break
	}
	if _, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-2"}); err != nil {
		t.Fatal(err)
	}
	for event, err := range c.WatchEvents(t.Context(), revision) {
		if err != nil {
			t.Error(err)
		}
		if event.Kind == simcloud.KindInstance && event.ID == "i-2" {
			break
		}
	}
}
