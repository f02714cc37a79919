package store

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// undo is what a key held, with its sum, before it was written.
type undo struct {
	bucket *bolt.Bucket
	key    []byte
	value  []byte
	there  bool
}

// put writes a key; neither key nor value may be changed afterwards.
func (tx *Tx) put(bucket bucket, key, value []byte) error {
	tx.remember(bucket.Bucket, key)
	return bucket.Put(key, value)
}

func (tx *Tx) remove(bucket bucket, key []byte) error {
	tx.remember(bucket.Bucket, key)
	return bucket.Delete(key)
}

func (tx *Tx) remember(bucket *bolt.Bucket, key []byte) {
	if tx.noUndo {
		return
	}
	value := bucket.Get(key)
	tx.undo = append(tx.undo, undo{bucket, bytes.Clone(key), bytes.Clone(value), value != nil})
}

// mark is a point that rollback can go back to.
type mark struct{ undo, after, uses, changes, events int }

func (tx *Tx) mark() mark {
	return mark{len(tx.undo), len(tx.after), len(tx.usage.log), len(tx.changes), len(tx.events)}
}

// rollback takes back all writes since m, in the order opposite to theirs.
func (tx *Tx) rollback(m mark) error {
	for i := len(tx.undo) - 1; i >= m.undo; i-- {
		u := tx.undo[i]
		var err error
		if u.there {
			err = u.bucket.Put(u.key, u.value)
		} else {
			err = u.bucket.Delete(u.key)
		}
		if err != nil {
			return err
		}
	}
	tx.oldest = 0
	tx.unuse(m.uses)
	tx.undo, tx.after, tx.changes = tx.undo[:m.undo], tx.after[:m.after], tx.changes[:m.changes]
	tx.events = tx.events[:min(m.events, len(tx.events))]
	return nil
}

// Attempt runs fn as a part of an update: when it fails, its writes are taken back
// and the update goes on. It does not work in UpdateAlone, which takes nothing back but as a whole.
func (tx *Tx) Attempt(fn func() error) error {
	start, cause := tx.mark(), tx.cause
	err := fn()
	if err == nil {
		return nil
	}
	tx.cause = cause
	if undone := tx.rollback(start); undone != nil {
		tx.damage = fmt.Errorf("take back a part of an update: %w", undone)
	}
	return err
}
