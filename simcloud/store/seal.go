package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// sumBytes is the size of the sum in front of each value.
const sumBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// bucket is a bucket of the file. It hides the sums: in the file each value
// follows the CRC-32C of the bucket's name, the key and the value, so that a
// value under another key is found too. A value that does not agree with its
// sum reads as nil and makes the whole transaction fail, see [Tx.whole]. The
// entries of an index are keys alone and have no sums: opening compares them
// with the resources.
type bucket struct {
	*bolt.Bucket
	tx    *Tx
	name  string
	seed  uint32 // the sum of the name
	plain bool   // whether values have no sums
}

func (tx *Tx) bucket(name string) bucket {
	raw := []byte(name)
	b := bucket{Bucket: tx.bolt.Bucket(raw), tx: tx, name: name, plain: tx.unsealed || isIndex(name)}
	if !b.plain {
		b.seed = crc32.Checksum(raw, castagnoli)
	}
	return b
}

func isIndex(name string) bool { return strings.HasSuffix(name, indexSuffix) }

// isPlain reports whether the value of a key has no sum. The version has none:
// programs of any version must be able to read it.
func (b bucket) isPlain(key []byte) bool {
	return b.plain || b.name == metaBucket && string(key) == schema.name
}

// seal puts the sum in front of a value.
func (b bucket) seal(key, value []byte) []byte {
	if b.isPlain(key) {
		return value
	}
	return b.sealInPlace(key, append(make([]byte, sumBytes, sumBytes+len(value)), value...))
}

// sealInPlace is seal of a value that follows room for the sum.
func (b bucket) sealInPlace(key, room []byte) []byte {
	if b.isPlain(key) {
		return room[sumBytes:]
	}
	binary.BigEndian.PutUint32(room, b.sum(key, room[sumBytes:]))
	return room
}

// open returns the value of what seal has made, and nil for what is damaged.
func (b bucket) open(key, sealed []byte) []byte {
	switch {
	case sealed == nil || b.isPlain(key):
		return sealed
	case len(sealed) < sumBytes || binary.BigEndian.Uint32(sealed) != b.sum(key, sealed[sumBytes:]):
		b.tx.fail(fmt.Errorf("%w: the value of %s/%q has a wrong checksum", ErrDamaged, b.name, key))
		return nil
	}
	return sealed[sumBytes:]
}

func (b bucket) sum(key, value []byte) uint32 {
	return crc32.Update(crc32.Update(b.seed, castagnoli, key), castagnoli, value)
}

// Get returns the value of a key; nil when there is none.
func (b bucket) Get(key []byte) []byte { return b.open(key, b.Bucket.Get(key)) }

// Put sets the value of a key, without a way back. See [Tx.put].
func (b bucket) Put(key, value []byte) error { return b.Bucket.Put(key, b.seal(key, value)) }

// ForEach calls fn for each key in order, until it fails.
func (b bucket) ForEach(fn func(key, value []byte) error) error {
	return b.Bucket.ForEach(func(key, sealed []byte) error {
		value := b.open(key, sealed)
		if b.tx.damage != nil {
			return b.tx.damage
		}
		return fn(key, value)
	})
}

// Cursor returns a cursor over the keys and values.
func (b bucket) Cursor() cursor { return cursor{b.Bucket.Cursor(), b} }

// cursor is a cursor of a bucket.
type cursor struct {
	*bolt.Cursor
	bucket bucket
}

func (c cursor) opened(key, sealed []byte) (k, value []byte) { return key, c.bucket.open(key, sealed) }

func (c cursor) First() (key, value []byte) { return c.opened(c.Cursor.First()) }
func (c cursor) Last() (key, value []byte)  { return c.opened(c.Cursor.Last()) }
func (c cursor) Prev() (key, value []byte)  { return c.opened(c.Cursor.Prev()) }
func (c cursor) Next() (key, value []byte)  { return c.opened(c.Cursor.Next()) }

func (c cursor) Seek(key []byte) (k, value []byte) { return c.opened(c.Cursor.Seek(key)) }

// fail remembers the first value that is damaged.
func (tx *Tx) fail(err error) {
	if tx.damage == nil {
		tx.damage = err
	}
}

// whole runs fn and fails when fn has met damage, whatever fn makes of it: what
// cannot be read must never look like what is not there.
func (tx *Tx) whole(fn func(*Tx) error) error {
	if err := fn(tx); tx.damage == nil {
		return err
	}
	return tx.damage
}
