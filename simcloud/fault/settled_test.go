package fault_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

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
