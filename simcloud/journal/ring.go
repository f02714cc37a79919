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

	added  int // how many entries were ever added
	bare   int // how many of those, the oldest, have lost their exchange or are gone
	bodies int // the size of the exchanges that are there, in bytes
	budget int // how much of them is kept
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
	} else {
		if r.bare <= r.added-r.limit {
			r.stripOldest()
		}
		r.forgotten = r.place(r.oldest).Seq
		*r.place(r.oldest) = entry
		r.oldest = (r.oldest + 1) % r.limit
	}
	r.added++
	for r.bodies += size(entry.Exchange); r.bodies > r.budget; {
		r.stripOldest()
	}
}

// stripOldest forgets what the oldest call that has not lost it yet sent and got.
func (r *ring) stripOldest() {
	entry := r.place(r.bare % r.limit)
	r.bodies -= size(entry.Exchange)
	entry.Exchange = nil
	r.bare++
}

// size is about how much memory an exchange takes, in bytes.
func size(e *simcloud.Exchange) int {
	if e == nil {
		return 0
	}
	const fixed = 128
	total := fixed + len(e.Request)
	for _, body := range []*simcloud.Body{e.Sent, e.Got} {
		if body != nil {
			total += fixed + len(body.Type) + len(body.Text)
		}
	}
	return total
}

func (r *ring) place(i int) *simcloud.JournalEntry {
	return &r.chunks[i/len(chunk{})][i%len(chunk{})]
}

// at returns an entry by how many are older.
func (r *ring) at(i int) *simcloud.JournalEntry {
	return r.place((r.oldest + i) % r.length)
}

// first is how many entries are older than those with a higher number.
func (r *ring) first(seq uint64) int {
	return sort.Search(r.length, func(i int) bool { return r.at(i).Seq > seq })
}

// get returns the entry with the number, which is above 0; nil when it is not there.
func (r *ring) get(seq uint64) *simcloud.JournalEntry {
	if i := r.first(seq - 1); i < r.length && r.at(i).Seq == seq {
		return r.at(i)
	}
	return nil
}

// after appends the matching entries with a higher number to found.
func (r *ring) after(seq uint64, filter simcloud.JournalFilter, found []simcloud.JournalEntry) []simcloud.JournalEntry {
	first := r.first(seq)
	for i := first; i < r.length; i++ {
		if entry := r.at(i); matches(filter, entry) {
			found = append(found, *entry)
			if !filter.Bodies {
				found[len(found)-1].Exchange = nil
			}
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
