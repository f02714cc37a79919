package journal

import (
	"slices"
	"sort"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ring keeps the latest of the entries that are added, which come in the order of their numbers.
type ring struct {
	entries   []simcloud.JournalEntry // grows to its limit, then wraps
	limit     int
	oldest    int    // where the oldest entry is
	forgotten uint64 // the number of the latest entry that made room for another
}

func (r *ring) add(entry simcloud.JournalEntry) {
	if len(r.entries) < r.limit {
		r.entries = append(r.entries, entry)
		return
	}
	r.forgotten = r.entries[r.oldest].Seq
	r.entries[r.oldest] = entry
	r.oldest = (r.oldest + 1) % r.limit
}

// at returns an entry by how many are older.
func (r *ring) at(i int) *simcloud.JournalEntry {
	return &r.entries[(r.oldest+i)%len(r.entries)]
}

// after appends the matching entries with a higher number to found.
func (r *ring) after(seq uint64, filter simcloud.JournalFilter, found []simcloud.JournalEntry) []simcloud.JournalEntry {
	first := sort.Search(len(r.entries), func(i int) bool { return r.at(i).Seq > seq })
	for i := first; i < len(r.entries); i++ {
		if entry := r.at(i); matches(filter, entry) {
			found = append(found, *entry)
		}
	}
	return found
}

func (r *ring) clone() ring {
	c := *r
	c.entries = slices.Clone(r.entries)
	return c
}
