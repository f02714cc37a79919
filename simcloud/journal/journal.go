// Package journal records the calls that a cloud gets, the latest ones in memory.
package journal

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// DefaultCapacity is how many calls a journal keeps unless it is told.
const DefaultCapacity = 65536

// DefaultBudget is how much a journal keeps in memory unless it is told, in bytes. What calls sent and got has two fifths of it.
const DefaultBudget = 160 << 20

// strangersShare is how many times more calls a journal keeps of callers with a
// token than of those without a good one.
const strangersShare = 16

// Journal is a bounded record of calls. Its methods may be called by many
// goroutines.
//
// Calls without a good token have a bound of their own, a sixteenth of the
// capacity: whoever can reach the cloud can make them, and must not be able to
// push out the others. They are forgotten without a word.
type Journal struct {
	now func() time.Time

	mu        sync.Mutex
	callers   ring          // calls with a good token
	strangers ring          // calls without one
	last      uint64        // the number of the latest call
	cleared   uint64        // calls up to this number were forgotten on purpose
	more      chan struct{} // closed by the next call; nil while no caller waits for it
	// pending are the calls that may have changed the cloud and are not recorded yet.
	pending map[*Call]struct{}
}

var _ simcloud.JournalAPI = (*Journal)(nil)

// New returns an empty journal that keeps the latest calls; capacity 0 means
// DefaultCapacity. It dates the entries by now.
func New(capacity int, now func() time.Time) *Journal {
	if capacity <= 0 {
		capacity = DefaultCapacity
	}
	j := &Journal{
		now:       now,
		callers:   ring{limit: capacity},
		strangers: ring{limit: max(1, capacity/strangersShare)},
		pending:   map[*Call]struct{}{},
	}
	j.SetBudget(DefaultBudget)
	return j
}

// SetBudget bounds what the journal keeps in memory, in bytes; the latest call always stays.
func (j *Journal) SetBudget(bytes int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.strangers.budget = bytes / strangersShare
	j.callers.budget = bytes - j.strangers.budget
	j.strangers.trim()
	j.callers.trim()
}

// Bytes is about how much the journal keeps in memory.
func (j *Journal) Bytes() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.callers.bytes + j.callers.bodies + j.strangers.bytes + j.strangers.bodies
}

// Record numbers and dates an entry, keeps it, and forgets the oldest one when it has to.
func (j *Journal) Record(entry simcloud.JournalEntry) {
	entry.Time = j.now()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.recordLocked(entry)
}

func (j *Journal) recordLocked(entry simcloud.JournalEntry) {
	j.last++
	entry.Seq = j.last
	if entry.Caller.Token == "" {
		j.strangers.add(entry)
	} else {
		j.callers.add(entry)
	}
	if j.more != nil {
		close(j.more)
		j.more = nil
	}
}

// after returns the matching entries with a higher number, the number that has been
// looked at, whether entries of callers in between were lost or seq is another journal's
// number, and what tells of more.
func (j *Journal) after(filter simcloud.JournalFilter, seq uint64) (found []simcloud.JournalEntry, last uint64, lost bool, more <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	from := max(seq, j.cleared)
	lost = from < j.callers.forgotten || seq > j.last
	found = j.strangers.after(from, filter, j.callers.after(from, filter, nil))
	slices.SortFunc(found, func(a, b simcloud.JournalEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	if j.more == nil {
		j.more = make(chan struct{})
	}
	return found, j.last, lost, j.more
}

// ListJournal returns the recorded calls that match, oldest first. With
// filter.Settled it waits as long as ctx allows; its error is then the cause of ctx's end.
func (j *Journal) ListJournal(ctx context.Context, filter simcloud.JournalFilter) ([]simcloud.JournalEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if filter.Settled {
		if err := j.settle(ctx); err != nil {
			return nil, err
		}
	}
	found, _, _, _ := j.after(filter, filter.After)
	return found, nil
}

// GetJournalEntry returns one recorded call by its number, with what it sent and got.
func (j *Journal) GetJournalEntry(ctx context.Context, seq simcloud.ID) (simcloud.JournalEntry, error) {
	if err := ctx.Err(); err != nil {
		return simcloud.JournalEntry{}, err
	}
	number, err := strconv.ParseUint(string(seq), 10, 64)
	if err != nil || number == 0 {
		return simcloud.JournalEntry{}, simcloud.InvalidFields("journal", []simcloud.FieldError{
			{Field: "id", Detail: strconv.Quote(string(seq)) + " must be the number of a call, from 1"},
		})
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range []*ring{&j.callers, &j.strangers} {
		if entry := r.get(number); entry != nil && number > j.cleared {
			return *entry, nil
		}
	}
	return simcloud.JournalEntry{}, simcloud.Errorf(simcloud.NotFound, "journal", "call %d not found: the journal has calls up to %d, and forgets the oldest", number, j.last)
}

// WatchJournal yields the recorded calls that match and then those to come,
// until ctx is done or the loop is left. A reader that is so slow, or begins so
// late, that calls with a good token after filter.After are forgotten gets
// Conflict; with After 0 it begins at the oldest.
func (j *Journal) WatchJournal(ctx context.Context, filter simcloud.JournalFilter) iter.Seq2[simcloud.JournalEntry, error] {
	return func(yield func(simcloud.JournalEntry, error) bool) {
		seq, strict := filter.After, filter.After > 0
		for ctx.Err() == nil {
			found, last, lost, more := j.after(filter, seq)
			if lost && strict {
				yield(simcloud.JournalEntry{}, simcloud.Errorf(simcloud.Conflict, "journal",
					"the calls after %d are no longer all there: list the journal again", seq))
				return
			}
			for _, entry := range found {
				if ctx.Err() != nil || !yield(entry, nil) {
					return
				}
			}
			seq, strict = last, true
			select {
			case <-more:
			case <-ctx.Done():
			}
		}
	}
}

// ClearJournal forgets the recorded calls. Numbers go on rising.
func (j *Journal) ClearJournal(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cleared = j.last
	j.callers.empty()
	j.strangers.empty()
	return nil
}

// Continue returns a journal that goes on where this one ended: with its
// entries, and with the numbers after them. It dates new entries by now. This
// one is not to be used any more.
func (j *Journal) Continue(now func() time.Time) *Journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	return &Journal{
		now: now, callers: j.callers.clone(), strangers: j.strangers.clone(), last: j.last, cleared: j.cleared, pending: map[*Call]struct{}{},
	}
}

// matches reports whether the filter chooses the entry, whatever its number.
func matches(f simcloud.JournalFilter, e *simcloud.JournalEntry) bool {
	return (!f.Errors || e.Code != "") &&
		(!f.Writes || e.Write) &&
		(f.Project == "" || f.Project == e.Caller.Project) &&
		(f.Code == "" || f.Code == e.Code) &&
		faulted(f.Fault, e.Fault) &&
		simcloud.Glob(f.Operation, named(f.Operation, e)) &&
		simcloud.Glob(f.Resource, e.Resource) &&
		simcloud.Glob(f.UserAgent, e.Caller.UserAgent)
}

// named is the operation of an entry as a glob names operations: the dialect's or the cloud's.
func named(glob string, e *simcloud.JournalEntry) string {
	if e.Dialect != "" && simcloud.NamesDialect(glob) {
		return simcloud.DialectOperation(e.Dialect, e.DialectOperation)
	}
	return e.Operation
}

// faulted reports whether the wanted fault rule changed a call; "*" is any.
func faulted(wanted, by simcloud.ID) bool {
	return wanted == "" || wanted == by || wanted == "*" && by != ""
}
