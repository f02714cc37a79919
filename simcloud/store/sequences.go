package store

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

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

// Seek is that of a [sequence.Set].
func (p *prefixed) Seek(from uint64) (uint64, bool) {
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
