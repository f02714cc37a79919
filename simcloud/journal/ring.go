package journal

import (
	"sort"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ring keeps the latest of the entries that are added, which come in the order of their numbers.
type ring struct {
	chunks    []*chunk // grow until limit entries are there, then wrap
	length    int
	limit     int
	oldest    int    // where the oldest entry is
	forgotten uint64 // the number of the latest entry that made room for another
}

// chunk is a part of a ring. A ring that grows never moves an entry.
type chunk [256]simcloud.JournalEntry

func (r *ring) add(entry simcloud.JournalEntry) {
	if r.length < r.limit {
		if r.length == len(r.chunks)*len(chunk{}) {
			r.chunks = append(r.chunks, new(chunk))
		}
		*r.place(r.length) = entry
		r.length++
		return
	}
	r.forgotten = r.place(r.oldest).Seq
	*r.place(r.oldest) = entry
	r.oldest = (r.oldest + 1) % r.limit
}

func (r *ring) place(i int) *simcloud.JournalEntry {
	return &r.chunks[i/len(chunk{})][i%len(chunk{})]
}

// at returns an entry by how many are older.
func (r *ring) at(i int) *simcloud.JournalEntry {
	return r.place((r.oldest + i) % r.length)
}

// after appends the matching entries with a higher number to found.
func (r *ring) after(seq uint64, filter simcloud.JournalFilter, found []simcloud.JournalEntry) []simcloud.JournalEntry {
	first := sort.Search(r.length, func(i int) bool { return r.at(i).Seq > seq })
	for i := first; i < r.length; i++ {
		if entry := r.at(i); matches(filter, entry) {
			found = append(found, *entry)
		}
	}
	return found
}

func (r *ring) clone() ring {
	c := *r
	c.chunks = make([]*chunk, len(r.chunks))
	for i, from := range r.chunks {
		copied := *from
		c.chunks[i] = &copied
	}
	return c
}
