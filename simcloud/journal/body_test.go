package journal_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

var mebibyte = strings.Repeat("x", 1<<20)

// long is an exchange that takes about a mebibyte.
func long() *simcloud.Exchange { return &simcloud.Exchange{Got: &simcloud.Body{Text: mebibyte}} }

// withBodies counts the calls whose exchange is kept, which must be the latest ones.
func withBodies(t *testing.T, j *journal.Journal) int {
	t.Helper()
	entries, err := j.ListJournal(t.Context(), simcloud.JournalFilter{Bodies: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, entry := range entries {
		switch {
		case entry.Exchange != nil:
			n++
		case n > 0:
			t.Fatalf("call %d has lost its bodies, and an older one has not", entry.Seq)
		}
	}
	return n
}

// TestBodiesAreBounded: bodies are kept up to a size, the latest first, in a journal that grows, in one that
// is full, and in the one that goes on with it; the calls themselves stay.
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	const most = journal.DefaultBudget * 15 / 16 * 2 / 5 >> 20 // with what is kept besides, one less
	j := newJournal(100)
	for n := range 350 {
		record(j, simcloud.JournalEntry{Exchange: long()})
		if got, want := withBodies(t, j), min(n+1, most-1); got != want {
			t.Fatalf("after %d calls %d have bodies, want %d", n+1, got, want)
		}
	}
	few := newJournal(10)
	for n := range 2 * most {
		record(few, simcloud.JournalEntry{Exchange: long()})
		if got, want := withBodies(t, few), min(n+1, 10); got != want {
			t.Fatalf("after %d calls %d of a short journal have bodies, want %d", n+1, got, want)
		}
	}
	next := j.Continue(time.Now)
	record(next, simcloud.JournalEntry{}, simcloud.JournalEntry{Exchange: long()})
	if got := len(listed(t, next, simcloud.JournalFilter{})); got != 100 {
		t.Errorf("there are %d calls", got)
	}
	entry, err := next.GetJournalEntry(t.Context(), "352")
	if err != nil || entry.Exchange == nil {
		t.Errorf("the latest call is %+v, %v", entry, err)
	}
	if got := withBodies(t, j); got != most-1 {
		t.Errorf("the old journal has %d bodies", got)
	}
}

// TestStrangersBodies: what callers without a good token send costs a sixteenth, and the others nothing.
func TestStrangersBodies(t *testing.T) {
	t.Parallel()
	j := newJournal(0)
	record(j, simcloud.JournalEntry{Exchange: long()})
	for range 100 {
		j.Record(simcloud.JournalEntry{Exchange: long()})
	}
	entries, err := j.ListJournal(t.Context(), simcloud.JournalFilter{Bodies: true})
	if err != nil || entries[0].Exchange == nil {
		t.Fatalf("strangers have pushed out a caller's bodies: %v", err)
	}
	n := 0
	for _, entry := range entries {
		if entry.Exchange != nil {
			n++
		}
	}
	if n != 1+3 { // two fifths of a sixteenth of 160 MiB, and what is kept besides
		t.Errorf("%d calls have bodies", n)
	}
}

// TestGetJournalEntry: a call is found by its number, with its bodies, until it is forgotten.
func TestGetJournalEntry(t *testing.T) {
	t.Parallel()
	j := newJournal(32)
	j.Record(simcloud.JournalEntry{Operation: "a stranger's", Exchange: long()})
	for n := range 40 {
		record(j, simcloud.JournalEntry{Operation: strconv.Itoa(n + 2), Exchange: long()})
	}
	for id, want := range map[simcloud.ID]error{
		"1": nil, "2": simcloud.NotFound, "9": simcloud.NotFound, "10": nil, "41": nil, "42": simcloud.NotFound,
		"0": simcloud.Invalid, "-1": simcloud.Invalid, "x": simcloud.Invalid, "": simcloud.Invalid,
	} {
		entry, err := j.GetJournalEntry(t.Context(), id)
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", id, err, want)
		}
		if want == nil && (simcloud.ID(strconv.FormatUint(entry.Seq, 10)) != id || entry.Exchange == nil) {
			t.Errorf("%s: %+v", id, entry)
		}
	}
	if err := j.ClearJournal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.GetJournalEntry(t.Context(), "41"); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("a call that was cleared: %v", err)
	}
}

// TestJournalIsBounded: calls are kept up to a size with their texts, the latest always; a journal that is cleared gives its memory back.
func TestJournalIsBounded(t *testing.T) {
	t.Parallel()
	const budget = 4 << 20
	j := newJournal(0)
	j.SetBudget(budget)
	for range 40_000 {
		record(j, simcloud.JournalEntry{Resource: mebibyte[:300], Message: mebibyte[:300], Exchange: &simcloud.Exchange{Got: &simcloud.Body{Text: mebibyte[:50]}}})
		j.Record(simcloud.JournalEntry{Message: mebibyte[:300]})
	}
	if bytes := j.Bytes(); bytes > budget || bytes < budget*9/10 {
		t.Errorf("%d bytes are kept of %d", bytes, budget)
	}
	left := len(listed(t, j, simcloud.JournalFilter{}))
	if left < 2000 || left > 10_000 {
		t.Errorf("%d calls are kept", left)
	}
	record(j, simcloud.JournalEntry{Message: mebibyte, Exchange: long()}, simcloud.JournalEntry{Message: mebibyte + mebibyte + mebibyte + mebibyte})
	if entry, err := j.GetJournalEntry(t.Context(), "80002"); err != nil || len(entry.Message) != 4<<20 {
		t.Errorf("the latest call is not kept: %v", err)
	}
	if err := j.ClearJournal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if bytes := j.Bytes(); bytes != 0 {
		t.Errorf("a journal that was cleared keeps %d bytes", bytes)
	}
}
