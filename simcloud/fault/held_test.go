package fault_test

import (
	"context"
	"errors"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestAwaitCaught: whoever waits learns of a call that hangs before its
// operation, and of one that is delayed only when the operation has happened.
func TestAwaitCaught(t *testing.T) {
	t.Parallel()
	for effect, early := range map[string]bool{`{"hang": {}}`: true, `{"delay": {"duration": "1h"}}`: false} {
		s := newSet(t, 1, `{"name": "holds", "effect": `+effect+`}`)
		ctx, leave := context.WithCancel(t.Context())
		caught := make(chan error, 1)
		go func() { caught <- s.AwaitCaught(t.Context(), "holds") }()
		hit := s.Pick(ctx, &fault.Call{Endpoint: endpoint(t, "GetInstance"), Resource: "i-1"})
		if early {
			go func() { _ = hit.Before(ctx) }()
		} else if err := hit.Before(ctx); err != nil {
			t.Fatal(err)
		} else {
			select {
			case err := <-caught:
				t.Errorf("%s: caught before the operation: %v", effect, err)
			default:
			}
			go func() { _ = hit.After(ctx, fault.Result{}) }()
		}
		if err := <-caught; err != nil {
			t.Errorf("%s: %v", effect, err)
		}
		leave()
	}
}

func TestAwaitCaughtEnds(t *testing.T) {
	t.Parallel()
	s := newSet(t, 1, `{"name": "holds", "effect": {"hang": {}}}`)
	if err := s.AwaitCaught(t.Context(), "other"); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("no such rule: %v, want NotFound", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AwaitCaught(ctx, "holds"); !errors.Is(err, context.Canceled) {
		t.Errorf("no call came: %v, want Canceled", err)
	}
	hit := s.Pick(ctx, &fault.Call{Endpoint: endpoint(t, "GetInstance"), Resource: "i-1"})
	_ = hit.Before(ctx)
	for range 20 { // who has ended and who is caught may be told in any order
		if err := s.AwaitCaught(ctx, "holds"); err != nil {
			t.Fatalf("a call was caught before the end: %v, want nil", err)
		}
	}
}

// TestHeldAnswersAreNotWaitedFor: a rule that holds the answer to a change back does not hold a settled journal back.
func TestHeldAnswersAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	for _, effect := range []string{`{"delay": {"duration": "1h"}}`, `{"sequence": [{"delay": {"duration": "1h"}}]}`} {
		l := newLab(t)
		l.add(`{"match": {"operation": "CreateInstance"}, "effect": ` + effect + `}`)
		go func() { _, _ = l.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}) }()
		for event, err := range l.WatchEvents(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if event.Kind == simcloud.KindOperation && event.RequestID != "" {
				break
			}
		}
		entries, err := l.ListJournal(t.Context(), simcloud.JournalFilter{Settled: true, Operation: "CreateInstance"})
		if err != nil || len(entries) != 0 {
			t.Errorf("with %s: %v, %v", effect, entries, err)
		}
	}
}
