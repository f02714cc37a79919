package store

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const (
	indexSuffix = ".index"
	namesSuffix = ".names"
)

// The index of a bucket has one key for each thing that a resource can be
// found by: one of these letters, the thing, and the resource's sequence. So
// the resources with one thing in common stand together in the order of their creation.
const (
	byProject = 'p'
	byName    = 'n'
	byState   = 's'
	byKey     = 'k' // a label's key
	byLabel   = 'l' // a label's key and value
	byRef     = 'r' // of any project
)

func entry(letter byte, parts ...string) []byte {
	size := 1 + 8
	for _, part := range parts {
		size += 2 + len(part)
	}
	key := append(make([]byte, 0, size), letter)
	for _, part := range parts {
		if !utf8.ValidString(part) {
			part = string([]rune(part)) // as JSON has it, in which the resource is kept
		}
		key = appendPart(key, part)
	}
	return key
}

// entries returns what v is found by, without the sequence, sorted.
func (b Bucket[T, P]) entries(v *T) [][]byte {
	meta := P(v).GetMeta()
	keys := b.entriesIn(make([][]byte, 0, 8+2*len(meta.Labels)), string(meta.Project), v)
	if b.forAdmins {
		keys = b.entriesIn(keys, "", v)
	}
	if b.refs != nil {
		for _, ref := range b.refs(v) {
			keys = append(keys, refEntry(ref))
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	return slices.CompactFunc(keys, bytes.Equal)
}

// entriesIn adds what queries for a project find v by.
func (b Bucket[T, P]) entriesIn(keys [][]byte, project string, v *T) [][]byte {
	meta := P(v).GetMeta()
	keys = append(keys, entry(byProject, project), entry(byName, project, meta.Name))
	if b.state != nil {
		keys = append(keys, entry(byState, project, b.state(v)))
	}
	for key, value := range meta.Labels {
		keys = append(keys, entry(byKey, project, key), entry(byLabel, project, key, value))
	}
	return keys
}

// rebuild recreates the index.
func (b Bucket[T, P]) rebuild(tx *Tx) error {
	if err := tx.clear(string(b.kind) + indexSuffix); err != nil {
		return err
	}
	var entries [][]byte
	if err := b.data(tx).ForEach(func(key, raw []byte) error {
		v, err := b.decode(raw)
		entries = b.appendEntries(entries, order(key), &v)
		return err
	}); err != nil {
		return err
	}
	return b.fill(tx, entries)
}

// appendEntries adds the keys that the index has for the resource of a sequence.
func (b Bucket[T, P]) appendEntries(keys [][]byte, seq uint64, v *T) [][]byte {
	for _, entry := range b.entries(v) {
		keys = append(keys, binary.BigEndian.AppendUint64(entry, seq))
	}
	return keys
}

// fill puts keys into the index, which is empty, in their order: until the
// transaction ends bbolt keeps all of them in one list, in which what comes
// before others moves those.
func (b Bucket[T, P]) fill(tx *Tx, keys [][]byte) error {
	slices.SortFunc(keys, bytes.Compare)
	index := b.index(tx)
	for _, key := range keys {
		if err := tx.put(index, key, []byte{}); err != nil {
			return err
		}
	}
	return nil
}

// Of returns the resources of a project, oldest first; for an empty one what
// all share, or of kinds that admins list those of all projects.
func (b Bucket[T, P]) Of(tx *Tx, project simcloud.ID) ([]T, error) {
	return b.collect(tx, b.candidates(tx, Query{Project: project}), 0, -1, nil)
}

// Owned reports whether a project has any resource of the bucket.
func (b Bucket[T, P]) Owned(tx *Tx, project simcloud.ID) bool {
	_, ok := newPrefixed(b.index(tx), entry(byProject, string(project))).Seek(0)
	return ok
}

func refEntry(ref Ref) []byte { return entry(byRef, string(ref.Kind), string(ref.ID)) }

// reindex replaces the entries of before by those of after; either may be nil.
func (b Bucket[T, P]) reindex(tx *Tx, key []byte, before, after *T) error {
	var was, is [][]byte
	if before != nil {
		was = b.entries(before)
	}
	if after != nil {
		is = b.entries(after)
	}
	index, seq := b.index(tx), order(key)
	for len(was) > 0 || len(is) > 0 {
		var c int
		switch {
		case len(was) == 0:
			c = 1
		case len(is) == 0:
			c = -1
		default:
			c = bytes.Compare(was[0], is[0])
		}
		var err error
		if c < 0 {
			err = tx.remove(index, binary.BigEndian.AppendUint64(was[0], seq))
		} else if c > 0 {
			err = tx.put(index, binary.BigEndian.AppendUint64(is[0], seq), []byte{})
		}
		if err != nil {
			return err
		}
		if c <= 0 {
			was = was[1:]
		}
		if c >= 0 {
			is = is[1:]
		}
	}
	return nil
}

// Referred reports whether any resource of the bucket refers to ref.
func (b Bucket[T, P]) Referred(tx *Tx, ref Ref) bool {
	_, ok := newPrefixed(b.index(tx), refEntry(ref)).Seek(0)
	return ok
}

// Referring returns the resources that refer to ref, oldest first.
func (b Bucket[T, P]) Referring(tx *Tx, ref Ref) ([]T, error) {
	return b.collect(tx, newPrefixed(b.index(tx), refEntry(ref)), 0, -1, nil)
}

// IDs returns the ids of all resources that fit the query, oldest first, and reads none of them.
func (b Bucket[T, P]) IDs(tx *Tx, q Query) []simcloud.ID {
	var found []simcloud.ID
	from, idOf := b.candidates(tx, q), b.ids(tx)
	for seq, ok := from.Seek(0); ok; seq, ok = from.Seek(seq + 1) {
		found = append(found, idOf(seq))
	}
	return found
}

// ref is short for making a Ref unless the id is empty.
func ref(refs []Ref, kind simcloud.Kind, id simcloud.ID) []Ref {
	if id == "" {
		return refs
	}
	return append(refs, Ref{kind, id})
}

// States counts the resources of all projects by their state, which is empty
// for kinds without one. It reads the index and no resource.
func (b Bucket[T, P]) States(tx *Tx) map[string]int {
	letter := byte(byProject)
	if b.state != nil {
		letter = byState
	}
	counts := map[string]int{}
	cursor := b.index(tx).Cursor()
	for key, _ := cursor.Seek([]byte{letter}); len(key) > 0 && key[0] == letter; key, _ = cursor.Next() {
		state := []byte{}
		if letter == byState {
			state = nextPart(afterPart(key[1:]))
		}
		counts[string(state)]++
	}
	return counts
}

// nextPart is the part that a key begins with, and afterPart what follows it.
func nextPart(key []byte) []byte { return key[2 : len(key)-len(afterPart(key))] }

func afterPart(key []byte) []byte { return key[2+binary.BigEndian.Uint16(key):] }
