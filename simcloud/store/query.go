package store

import (
	"bytes"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store/sequence"
)

// Query chooses resources of one project. All its conditions must hold.
type Query struct {
	Project simcloud.ID
	Name    string // "" for any
	State   string // "" for any
	Labels  []Match
	// RefersTo is what all of them refer to; zero for any.
	RefersTo Ref
	// After is the sequence to begin after, as Page returned it; 0 begins at the first.
	After uint64
	// Limit is how many to return at most.
	Limit int
}

// Match is a condition on one label.
type Match struct {
	Key string
	// Values are those that the label may have; empty means any.
	Values []string
}

// Page returns the resources that fit the query and pass keep (nil: all pass),
// oldest first, and the sequence of the last one; that is 0 when no more follow.
// What it costs follows what it returns and what keep turns down, not what the bucket holds.
func (b Bucket[T, P]) Page(tx *Tx, q Query, keep func(*T) bool) (items []T, last uint64, err error) {
	items, err = b.collect(tx, b.candidates(tx, q), q.After+1, q.Limit+1, keep)
	if err != nil || len(items) <= q.Limit {
		return items, 0, err
	}
	items = items[:q.Limit]
	key := b.key(tx, P(&items[q.Limit-1]).GetMeta().ID)
	return items, order(key), nil
}

// Numbered returns the resources that fit the query and pass keep, as Page does, without
// the first ones, and how many there are with those. It decodes no more than it returns
// where keep is nil.
func (b Bucket[T, P]) Numbered(tx *Tx, q Query, skip int, keep func(*T) bool) (items []T, total int, err error) {
	items = []T{}
	data, from := b.data(tx), b.candidates(tx, q)
	for seq, ok := from.Seek(0); ok; seq, ok = from.Seek(seq + 1) {
		shown := total >= skip && len(items) < q.Limit
		if shown || keep != nil {
			v, err := b.decode(data.Get(orderedKey(seq)))
			switch {
			case err != nil:
				return nil, 0, err
			case keep != nil && !keep(&v):
				continue
			case shown:
				items = append(items, v)
			}
		}
		total++
	}
	return items, total, nil
}

// First returns the oldest resource that fits the query; false when there is none.
func (b Bucket[T, P]) First(tx *Tx, q Query) (v T, ok bool, err error) {
	items, err := b.collect(tx, b.candidates(tx, q), q.After+1, 1, nil)
	if err != nil || len(items) == 0 {
		return v, false, err
	}
	return items[0], true, nil
}

// Nth returns the resource whose turn it is among those that fit the query,
// which take turns in their order; false when there is none.
func (b Bucket[T, P]) Nth(tx *Tx, q Query, turn uint64) (v T, ok bool, err error) {
	var found []uint64
	from := b.candidates(tx, q)
	for seq, ok := from.Seek(0); ok; seq, ok = from.Seek(seq + 1) {
		found = append(found, seq)
	}
	if len(found) == 0 {
		return v, false, nil
	}
	v, err = b.decode(b.data(tx).Get(orderedKey(found[turn%uint64(len(found))])))
	return v, err == nil, err
}

// Named returns the oldest resource of a project that has a name.
func (b Bucket[T, P]) Named(tx *Tx, project simcloud.ID, name string) (id simcloud.ID, found bool) {
	n, found := b.candidates(tx, Query{Project: project, Name: name}).Seek(0)
	if !found {
		return "", false
	}
	return b.ids(tx)(n), true
}

// conditions returns what the query asks for, as index entries without the
// sequence: each condition is that there is one of its entries.
func (q Query) conditions() [][][]byte {
	project := string(q.Project)
	var all [][][]byte
	if q.Name != "" {
		all = append(all, [][]byte{entry(byName, project, q.Name)})
	}
	for _, m := range q.Labels {
		if len(m.Values) == 0 {
			all = append(all, [][]byte{entry(byKey, project, m.Key)})
			continue
		}
		var either [][]byte
		for _, value := range m.Values {
			either = append(either, entry(byLabel, project, m.Key, value))
		}
		all = append(all, either)
	}
	if q.State != "" {
		all = append(all, [][]byte{entry(byState, project, q.State)})
	}
	if len(all) == 0 {
		all = append(all, [][]byte{entry(byProject, project)})
	}
	if q.RefersTo != (Ref{}) { // of any project, which another condition has
		all = append(all, [][]byte{refEntry(q.RefersTo)})
	}
	return all
}

// candidates joins the index entries that the query asks for.
func (b Bucket[T, P]) candidates(tx *Tx, q Query) sequence.Set {
	index := b.index(tx)
	var all sequence.Intersection
	for _, entries := range q.conditions() {
		var either sequence.Union
		for _, entry := range entries {
			either = append(either, newPrefixed(index, entry))
		}
		if len(either) == 1 {
			all = append(all, either[0])
			continue
		}
		all = append(all, either)
	}
	return all
}

// fits reports whether the index would have the resource for the query.
func (b Bucket[T, P]) fits(v *T, q Query) bool {
	entries := b.entries(v)
	for _, either := range q.conditions() {
		if !slices.ContainsFunc(either, func(entry []byte) bool {
			_, found := slices.BinarySearchFunc(entries, entry, bytes.Compare)
			return found
		}) {
			return false
		}
	}
	return true
}

// collect decodes the candidates from a sequence on, up to limit; -1 is no limit.
func (b Bucket[T, P]) collect(tx *Tx, from sequence.Set, seq uint64, limit int, keep func(*T) bool) ([]T, error) {
	items := []T{}
	data := b.data(tx)
	for limit < 0 || len(items) < limit {
		found, ok := from.Seek(seq)
		if !ok {
			break
		}
		v, err := b.decode(data.Get(orderedKey(found)))
		if err != nil {
			return nil, err
		}
		if keep == nil || keep(&v) {
			items = append(items, v)
		}
		seq = found + 1
	}
	return items, nil
}

// All returns all resources of all projects, oldest first.
func (b Bucket[T, P]) All(tx *Tx) ([]T, error) {
	items := []T{}
	err := b.data(tx).ForEach(func(_, raw []byte) error {
		v, err := b.decode(raw)
		items = append(items, v)
		return err
	})
	return items, err
}
