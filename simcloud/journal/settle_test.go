package journal_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

// settled asks for a settled list, and returns where its numbers come.
func settled(ctx context.Context, j *journal.Journal) <-chan []uint64 {
	answer := make(chan []uint64, 1)
	go func() {
		entries, err := j.ListJournal(ctx, simcloud.JournalFilter{Settled: true})
		if err == nil {
			answer <- numbers(entries)
		}
		close(answer)
	}()
	return answer
}

// TestSettled: the list waits for the calls that began before it, until they are recorded, held or ended, and for no others.
func TestSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(0)
		calls := []*journal.Call{j.Begin(), j.Begin(), j.Begin()}
		answer := settled(t.Context(), j)
		for i, settle := range []func(){
			func() { calls[1].Hold() },
			func() { calls[2].End(); calls[2].End() },
			func() { j.Begin() }, // after the list was asked for
			func() { calls[0].Record(simcloud.JournalEntry{}) },
		} {
			synctest.Wait()
			if len(answer) > 0 {
				t.Fatalf("the list is there after %d steps", i)
			}
			settle()
		}
		if got := <-answer; len(got) != 1 {
			t.Errorf("the list has the calls %d", got)
		}
		calls[1].Record(simcloud.JournalEntry{}) // held, but recorded in the end
		if all, err := j.ListJournal(t.Context(), simcloud.JournalFilter{}); err != nil || len(all) != 2 {
			t.Errorf("%v, %v", all, err)
		}
	})
}

// TestSettledEnds: who does not wait any more is told why.
func TestSettledEnds(t *testing.T) {
	t.Parallel()
	j := newJournal(0)
	j.Begin()
	closing := errors.New("the cloud is closing")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(closing)
	if _, err := j.ListJournal(ctx, simcloud.JournalFilter{Settled: true}); err == nil {
		t.Error("a list without end has ended well")
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	answer := make(chan error, 1)
	go func() {
		_, err := j.ListJournal(ctx, simcloud.JournalFilter{Settled: true})
		answer <- err
	}()
	cancel(closing)
	if err := <-answer; !errors.Is(err, closing) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
