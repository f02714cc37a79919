package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
)

const metaBucket = "meta"

// Value is a single value of the file.
type Value[T any] struct{ name string }

// Get returns the value, and whether there is one. A null is an error: it would
// read as a zero value.
func (v Value[T]) Get(tx *Tx) (value T, ok bool, err error) {
	raw := tx.bucket(metaBucket).Get([]byte(v.name))
	if raw == nil {
		return value, false, nil
	}
	read := &value
	if err = json.Unmarshal(raw, &read); err == nil && read == nil {
		err = errors.New("it is null")
	}
	if err != nil {
		return value, false, fmt.Errorf("the value of its %s cannot be read: %w", v.name, err)
	}
	return value, true, nil
}

// Put replaces the value.
func (v Value[T]) Put(tx *Tx, value T) error {
	return Table[T]{metaBucket}.Put(tx, v.name, value)
}

// verify checks that the value, if there is one, has its type.
func (v Value[T]) verify(tx *Tx) error {
	if _, _, err := v.Get(tx); err != nil {
		return damaged(err)
	}
	return nil
}

// Table is a sorted map of the file. Keys are not empty; see [Key] and [Ordered].
type Table[T any] struct{ name string }

// Get returns the value of a key, and whether there is one.
func (t Table[T]) Get(tx *Tx, key string) (value T, ok bool, err error) {
	raw := tx.bucket(t.name).Get([]byte(key))
	if raw == nil {
		return value, false, nil
	}
	value, err = t.decode([]byte(key), raw)
	return value, err == nil, err
}

// Put sets the value of a key.
func (t Table[T]) Put(tx *Tx, key string, value T) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.put(tx.bucket(t.name), []byte(key), raw)
}

// Delete removes a key, if it is there.
func (t Table[T]) Delete(tx *Tx, key string) error {
	return tx.remove(tx.bucket(t.name), []byte(key))
}

// First returns the first entry whose key begins with prefix.
func (t Table[T]) First(tx *Tx, prefix string) (key string, value T, ok bool, err error) {
	k, raw := tx.bucket(t.name).Cursor().Seek([]byte(prefix))
	if k == nil || !bytes.HasPrefix(k, []byte(prefix)) {
		return "", value, false, nil
	}
	value, err = t.decode(k, raw)
	return string(k), value, err == nil, err
}

// LastOrder returns the highest n of the keys prefix + Ordered(n); 0 when there is none.
func (t Table[T]) LastOrder(tx *Tx, prefix string) uint64 {
	cursor := tx.bucket(t.name).Cursor()
	k, _ := cursor.Seek([]byte(prefix + Ordered(math.MaxUint64)))
	if k == nil {
		k, _ = cursor.Last()
	} else {
		k, _ = cursor.Prev()
	}
	if !bytes.HasPrefix(k, []byte(prefix)) {
		return 0
	}
	return order(k)
}

// All yields all entries in the order of their keys. The table must not be
// changed meanwhile. An error is the last thing that is yielded.
func (t Table[T]) All(tx *Tx, yieldErr *error) iter.Seq2[string, T] {
	return t.Under(tx, "", yieldErr)
}

// Under is All of the entries whose keys begin with prefix.
func (t Table[T]) Under(tx *Tx, prefix string, yieldErr *error) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		cursor := tx.bucket(t.name).Cursor()
		for k, raw := cursor.Seek([]byte(prefix)); bytes.HasPrefix(k, []byte(prefix)) && k != nil; k, raw = cursor.Next() {
			value, err := t.decode(k, raw)
			if err != nil {
				*yieldErr = err
				return
			}
			if !yield(string(k), value) {
				return
			}
		}
	}
}

// Clear removes all entries. It works in UpdateAlone only.
func (t Table[T]) Clear(tx *Tx) error { return tx.clear(t.name) }

func (t Table[T]) decode(key, raw []byte) (value T, err error) {
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, fmt.Errorf("%s/%q: %w", t.name, key, err)
	}
	return value, nil
}

// clear empties a bucket by recreating it, which costs what its pages cost.
func (tx *Tx) clear(name string) error {
	if !tx.noUndo {
		return fmt.Errorf("clear %s: this needs a transaction of its own", name)
	}
	if first, _ := tx.bucket(name).Bucket.Cursor().First(); first == nil {
		return nil // a reset clears dozens, most of which are empty
	}
	if err := tx.bolt.DeleteBucket([]byte(name)); err != nil {
		return err
	}
	_, err := tx.bolt.CreateBucket([]byte(name))
	return err
}
