package journal

import (
	"reflect"
	"sort"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// bodiesShare is how much of a ring's budget exchanges may take: two fifths, so that calls outlive what they sent and got.
const bodiesShare = 0.4

// ring keeps the latest of the entries that are added, which come in the order of their numbers, up to a number of them and
// to a size.
type ring struct {
	chunks    []*chunk // have the entries, from head on
	head      int      // where the oldest entry is in the first chunk
	length    int
	limit     int
	forgotten uint64 // the number of the latest entry that made room for another

	bare   int // how many of the entries, the oldest, have lost their exchange
	bodies int // the size of the exchanges that are there, in bytes
	bytes  int // the size of all entries without them
	budget int // how much of both is kept
}

// chunk is a part of a ring. A ring that grows never moves an entry.
type chunk [256]simcloud.JournalEntry

func (r *ring) add(entry simcloud.JournalEntry) {
	if r.head+r.length == len(r.chunks)*len(chunk{}) {
		r.chunks = append(r.chunks, new(chunk))
	}
	*r.at(r.length) = entry
	r.length++
	r.bytes += size(&entry)
	r.bodies += sizeOfExchange(entry.Exchange)
	r.trim()
}

// trim forgets the oldest exchanges, and then the oldest entries, as far as they are too many. The latest entry stays.
func (r *ring) trim() {
	for r.bodies > int(bodiesShare*float64(r.budget)) && r.bare < r.length {
		r.strip(r.bare)
		r.bare++
	}
	for r.length > r.limit || r.length > 1 && r.bytes+r.bodies > r.budget {
		r.forget()
	}
}

// strip forgets what a call sent and got.
func (r *ring) strip(i int) {
	entry := r.at(i)
	r.bodies -= sizeOfExchange(entry.Exchange)
	entry.Exchange = nil
}

// forget makes room by the oldest entry.
func (r *ring) forget() {
	oldest := r.at(0)
	r.strip(0)
	r.bare = max(0, r.bare-1)
	r.bytes -= size(oldest)
	r.forgotten = oldest.Seq
	*oldest = simcloud.JournalEntry{}
	r.length--
	if r.head++; r.head == len(chunk{}) {
		r.chunks[0] = nil
		r.chunks, r.head = r.chunks[1:], 0
	}
}

// empty gives the memory of all entries back. They are gone on purpose, so none counts as forgotten.
func (r *ring) empty() {
	*r = ring{limit: r.limit, budget: r.budget, forgotten: r.forgotten}
}

// entrySize is what an entry takes without its texts.
var entrySize = int(reflect.TypeFor[simcloud.JournalEntry]().Size())

// size is about how much memory an entry takes without its exchange, in bytes.
func size(e *simcloud.JournalEntry) int {
	return entrySize + len(e.RequestID) + len(e.Caller.UserAgent) + len(e.Name) + len(e.DialectOperation) + len(e.Request) + len(e.OperationID) +
		len(e.Resource) + len(e.ShownID) + len(e.Message)
}

// sizeOfExchange is about how much memory an exchange takes, in bytes.
func sizeOfExchange(e *simcloud.Exchange) int {
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

// at returns an entry by how many are older.
func (r *ring) at(i int) *simcloud.JournalEntry {
	i += r.head
	return &r.chunks[i/len(chunk{})][i%len(chunk{})]
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
