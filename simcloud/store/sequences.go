package store

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// sequences is a rising set of sequence numbers.
type sequences interface {
	// seek returns the first number of the set that is not below from. From
	// call to call from does not fall.
	seek(from uint64) (uint64, bool)
}

// prefixed is the set of numbers that follow a prefix in an index.
type prefixed struct {
	cursor cursor
	prefix []byte
	key    []byte // where the cursor stands; nil before the first seek and at the end
	begun  bool
}

func newPrefixed(index bucket, prefix []byte) *prefixed {
	return &prefixed{cursor: index.Cursor(), prefix: prefix}
}

func (p *prefixed) seek(from uint64) (uint64, bool) {
	switch {
	case !p.begun:
		p.begun = true
		p.key, _ = p.cursor.Seek(binary.BigEndian.AppendUint64(bytes.Clone(p.prefix), from))
	case p.in() && order(p.key)+1 == from:
		p.key, _ = p.cursor.Next()
	case p.in() && order(p.key) < from:
		p.key, _ = p.cursor.Seek(binary.BigEndian.AppendUint64(bytes.Clone(p.prefix), from))
	}
	if !p.in() {
		return 0, false
	}
	return order(p.key), true
}

// in reports whether the cursor stands on a key of the set.
func (p *prefixed) in() bool {
	return len(p.key) == len(p.prefix)+8 && bytes.HasPrefix(p.key, p.prefix)
}

// union is the set of what is in any of its parts.
type union []sequences

func (u union) seek(from uint64) (least uint64, found bool) {
	for _, part := range u {
		if n, ok := part.seek(from); ok && (!found || n < least) {
			least, found = n, true
		}
	}
	return least, found
}

// intersection is the set of what is in all of its parts, of which it has at least one.
type intersection []sequences

func (s intersection) seek(from uint64) (uint64, bool) {
	for agreed := 0; agreed < len(s); {
		agreed = 0
		for _, part := range s {
			n, ok := part.seek(from)
			if !ok {
				return 0, false
			}
			if n == from {
				agreed++
			}
			from = n
		}
	}
	return from, true
}

const (
	counterBucket = "counters"
	revisionName  = "revision"
)

// Counter is a number of the file that only rises.
type Counter struct{ name string }

// Next raises the counter and returns it; the first is 1.
func (c Counter) Next(tx *Tx) (uint64, error) {
	n := c.Last(tx) + 1
	return n, c.Set(tx, n)
}

// Last returns the counter as Next returned it last; 0 at first.
func (c Counter) Last(tx *Tx) uint64 {
	n, _ := strconv.ParseUint(string(tx.bucket(counterBucket).Get([]byte(c.name))), 10, 64)
	return n
}

// Set sets the counter.
func (c Counter) Set(tx *Tx, n uint64) error {
	return tx.put(tx.bucket(counterBucket), []byte(c.name), strconv.AppendUint(nil, n, 10))
}

var revision = Counter{revisionName}

// Revision returns the revision of the last change.
func (tx *Tx) Revision() uint64 { return revision.Last(tx) }

func orderedKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
