package journal_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

func newJournal(capacity int) *journal.Journal {
	return journal.New(capacity, func() time.Time { return time.Unix(7, 0) })
}

// record records calls that were made with a good token.
func record(j *journal.Journal, entries ...simcloud.JournalEntry) {
	for _, entry := range entries {
		entry.Caller.Token = "tok-1"
		j.Record(entry)
	}
}

func numbers(entries []simcloud.JournalEntry) []uint64 {
	var seqs []uint64
	for _, entry := range entries {
		seqs = append(seqs, entry.Seq)
	}
	return seqs
}

func listed(t *testing.T, j *journal.Journal, filter simcloud.JournalFilter) []uint64 {
	t.Helper()
	entries, err := j.ListJournal(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	return numbers(entries)
}

func TestListJournalFilters(t *testing.T) {
	t.Parallel()
	j := newJournal(0)
	record(j,
		simcloud.JournalEntry{Operation: "CreateInstance", Resource: "instance/i-1", Write: true, Caller: simcloud.Caller{UserAgent: "simcloud-ccm/v1", Project: "p"}},
		simcloud.JournalEntry{Operation: "GetInstance", Resource: "instance/i-2", Code: simcloud.NotFound},
		simcloud.JournalEntry{Operation: "CreateLoadBalancer", Resource: "load_balancer/lb-1", Write: true, Code: simcloud.Invalid},
		simcloud.JournalEntry{Operation: "ListZones", Fault: "fault-1", Caller: simcloud.Caller{Project: "pp"}},
		simcloud.JournalEntry{Operation: "ListZones", Fault: "fault-2", Code: simcloud.Locked},
		simcloud.JournalEntry{Operation: "StopInstance", Dialect: "hcloud", DialectOperation: "poweroff"},
		simcloud.JournalEntry{Operation: "StopInstance", Dialect: "hcloud", DialectOperation: "shutdown"},
	)
	for _, c := range []struct {
		name   string
		filter simcloud.JournalFilter
		want   []uint64
	}{
		{"all", simcloud.JournalFilter{}, []uint64{1, 2, 3, 4, 5, 6, 7}},
		{"after", simcloud.JournalFilter{After: 1}, []uint64{2, 3, 4, 5, 6, 7}},
		{"after the end", simcloud.JournalFilter{After: 9}, nil},
		{"operation", simcloud.JournalFilter{Operation: "GetInstance"}, []uint64{2}},
		{"operation of the cloud, also by a dialect", simcloud.JournalFilter{Operation: "StopInstance"}, []uint64{6, 7}},
		{"operation of a dialect", simcloud.JournalFilter{Operation: "hcloud:shutdown"}, []uint64{7}},
		{"all of a dialect", simcloud.JournalFilter{Operation: "hcloud:*"}, []uint64{6, 7}},
		{"another dialect", simcloud.JournalFilter{Operation: "aws:*"}, nil},
		{"any dialect", simcloud.JournalFilter{Operation: "*:*"}, []uint64{6, 7}},
		{"operation by its beginning", simcloud.JournalFilter{Operation: "Create*"}, []uint64{1, 3}},
		{"operation by its end", simcloud.JournalFilter{Operation: "*Instance"}, []uint64{1, 2, 6, 7}},
		{"operation by its middle", simcloud.JournalFilter{Operation: "*Load*"}, []uint64{3}},
		{"a star is more than one path element", simcloud.JournalFilter{Resource: "*-1"}, []uint64{1, 3}},
		{"stars need their own text", simcloud.JournalFilter{Operation: "Create*Create*"}, nil},
		{"user agent", simcloud.JournalFilter{UserAgent: "simcloud-ccm/*"}, []uint64{1}},
		{"errors", simcloud.JournalFilter{Errors: true}, []uint64{2, 3, 5}},
		{"project", simcloud.JournalFilter{Project: "p"}, []uint64{1}},
		{"code", simcloud.JournalFilter{Code: simcloud.NotFound}, []uint64{2}},
		{"fault", simcloud.JournalFilter{Fault: "fault-1"}, []uint64{4}},
		{"any fault", simcloud.JournalFilter{Fault: "*"}, []uint64{4, 5}},
		{"any fault that was told", simcloud.JournalFilter{Fault: "*", Errors: true}, []uint64{5}},
		{"writes that failed", simcloud.JournalFilter{Errors: true, Writes: true}, []uint64{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, listed(t, j, c.filter)); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecordForgetsTheOldest(t *testing.T) {
	t.Parallel()
	j := newJournal(3)
	for n := range 8 {
		record(j, simcloud.JournalEntry{Operation: strconv.Itoa(n + 1)})
	}
	entries, err := j.ListJournal(t.Context(), simcloud.JournalFilter{})
	if err != nil {
		t.Fatal(err)
	}
	caller := simcloud.Caller{Token: "tok-1"}
	want := []simcloud.JournalEntry{
		{Seq: 6, Time: time.Unix(7, 0), Operation: "6", Caller: caller},
		{Seq: 7, Time: time.Unix(7, 0), Operation: "7", Caller: caller},
		{Seq: 8, Time: time.Unix(7, 0), Operation: "8", Caller: caller},
	}
	if diff := cmp.Diff(want, entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// TestRecordManyCalls: the latest calls are there at every length, however the
// journal grows, and what another journal adds to them is its own.
func TestRecordManyCalls(t *testing.T) {
	t.Parallel()
	const capacity = 600
	j := newJournal(capacity)
	for n := uint64(1); n <= 2*capacity+1; n++ {
		record(j, simcloud.JournalEntry{})
		if n%100 > 1 {
			continue
		}
		old := j.Continue(time.Now)
		record(old, simcloud.JournalEntry{})
		all := listed(t, j, simcloud.JournalFilter{})
		oldest := n - min(n, capacity) + 1
		if uint64(len(all)) != n-oldest+1 || all[0] != oldest || all[len(all)-1] != n || !slices.IsSorted(all) {
			t.Fatalf("after %d calls there are %d, from %d to %d; want %d to %d", n, len(all), all[0], all[len(all)-1], oldest, n)
		}
	}
}

// TestStrangersPushOutNoCaller: calls without a good token make room for each
// other alone, are in their place among the others, and cost no watcher anything.
func TestStrangersPushOutNoCaller(t *testing.T) {
	t.Parallel()
	j := newJournal(32) // and 2 of strangers
	record(j, simcloud.JournalEntry{})
	for range 99 {
		j.Record(simcloud.JournalEntry{Code: simcloud.Unauthenticated})
	}
	record(j, simcloud.JournalEntry{})
	j.Record(simcloud.JournalEntry{Code: simcloud.Unauthenticated})
	for after, want := range map[uint64][]uint64{0: {1, 100, 101, 102}, 1: {100, 101, 102}, 100: {101, 102}} {
		if diff := cmp.Diff(want, listed(t, j, simcloud.JournalFilter{After: after})); diff != "" {
			t.Errorf("calls after %d (-want +got):\n%s", after, diff)
		}
	}
	for entry, err := range j.WatchJournal(t.Context(), simcloud.JournalFilter{After: 2}) {
		if err != nil || entry.Seq != 100 {
			t.Errorf("a watcher got call %d, %v; want 100", entry.Seq, err)
		}
		break
	}
	next := j.Continue(time.Now)
	next.Record(simcloud.JournalEntry{})
	if diff := cmp.Diff([]uint64{1, 101, 102, 103}, listed(t, next, simcloud.JournalFilter{})); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
	if err := j.ClearJournal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := listed(t, j, simcloud.JournalFilter{}); len(left) > 0 {
		t.Errorf("after a clear: %v", left)
	}
}

func TestClearJournal(t *testing.T) {
	t.Parallel()
	j := newJournal(3)
	record(j, make([]simcloud.JournalEntry, 5)...)
	if err := j.ClearJournal(t.Context()); err != nil {
		t.Fatal(err)
	}
	record(j, simcloud.JournalEntry{})
	if diff := cmp.Diff([]uint64{6}, listed(t, j, simcloud.JournalFilter{})); diff != "" {
		t.Errorf("entries after a clear (-want +got):\n%s", diff)
	}
}

// TestWatchJournalGoesOn reads what is there, and then what a writer adds meanwhile.
func TestWatchJournalGoesOn(t *testing.T) {
	t.Parallel()
	j := newJournal(0)
	record(j, simcloud.JournalEntry{Write: true}, simcloud.JournalEntry{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []uint64
	for entry, err := range j.WatchJournal(ctx, simcloud.JournalFilter{Writes: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, entry.Seq); len(seen) == 3 {
			cancel() // ends the watch although nothing comes any more
			continue
		}
		go record(j, simcloud.JournalEntry{}, simcloud.JournalEntry{Write: true})
	}
	if diff := cmp.Diff([]uint64{1, 4, 6}, seen); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestWatchJournalSaysWhatItHasLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		after uint64
		want  error
	}{
		{"from the oldest", 0, nil},
		{"nothing lost", 2, nil},
		{"one lost", 1, simcloud.Conflict},
		{"another journal's number", 6, simcloud.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJournal(3)
			record(j, make([]simcloud.JournalEntry, 5)...)
			for _, err := range j.WatchJournal(t.Context(), simcloud.JournalFilter{After: c.after}) {
				if !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				break
			}
		})
	}
}

// TestWatchJournalIsOvertaken: a reader that is slower than the ring is told so.
func TestWatchJournalIsOvertaken(t *testing.T) {
	t.Parallel()
	j := newJournal(2)
	record(j, simcloud.JournalEntry{})
	var last error
	for _, err := range j.WatchJournal(t.Context(), simcloud.JournalFilter{}) {
		if last = err; err == nil {
			record(j, make([]simcloud.JournalEntry, 5)...)
		}
	}
	if !errors.Is(last, simcloud.Conflict) {
		t.Errorf("the watch ended in %v, want Conflict", last)
	}
}

// TestContinue: who has read the old journal goes on with the new one and misses nothing.
func TestContinue(t *testing.T) {
	t.Parallel()
	old := newJournal(3)
	record(old, make([]simcloud.JournalEntry, 4)...)
	if err := old.ClearJournal(t.Context()); err != nil {
		t.Fatal(err)
	}
	record(old, make([]simcloud.JournalEntry, 1)...)
	j := old.Continue(func() time.Time { return time.Unix(9, 0) })
	record(j, make([]simcloud.JournalEntry, 1)...)
	if diff := cmp.Diff([]uint64{5, 6}, listed(t, j, simcloud.JournalFilter{})); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	for entry, err := range j.WatchJournal(t.Context(), simcloud.JournalFilter{After: 5}) {
		if err != nil || entry.Seq != 6 || !entry.Time.Equal(time.Unix(9, 0)) {
			t.Errorf("got call %d at %s, %v; want 6 by the new clock", entry.Seq, entry.Time, err)
		}
		break
	}
}
