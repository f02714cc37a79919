package store

import (
	"encoding/binary"
	"strconv"
)

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
