package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// wiping says when resources go, and which stay.
type wiping struct {
	now  time.Time
	keep func(simcloud.Kind, simcloud.ID) bool
}

// Wipe deletes all resources but those that keep names, with an event each,
// and forgets all else but the tokens, the clock, the seed and the revision.
// The counters of the buckets begin again, unless IDs.Raise follows. It works in UpdateAlone only.
func Wipe(tx *Tx, now time.Time, keep func(simcloud.Kind, simcloud.ID) bool) error {
	tx.renewed = true
	for _, k := range kinds() {
		if err := k.wipe(tx, wiping{now, keep}); err != nil {
			return err
		}
	}
	for _, t := range transient() {
		if err := t.Clear(tx); err != nil {
			return err
		}
	}
	if err := wipeCounters(tx); err != nil {
		return err
	}
	return Recount(tx)
}

// wipeCounters leaves the counters that never begin again, and those of kinds
// whose resources are still there.
func wipeCounters(tx *Tx) error {
	keep := map[string]uint64{revisionName: tx.Revision(), TokenCounter.name: TokenCounter.Last(tx), eventBytes.name: eventBytes.Last(tx)}
	for _, k := range kinds() {
		name := k.bucketNames()[0]
		if last, _ := tx.bucket(name).Cursor().Last(); last != nil {
			keep[name] = max(keep[name], order(last))
		}
	}
	if err := tx.clear(counterBucket); err != nil {
		return err
	}
	for name, n := range keep {
		if err := (Counter{name}).Set(tx, n); err != nil {
			return err
		}
	}
	return nil
}

func (b Bucket[T, P]) wipe(tx *Tx, w wiping) error {
	kept, err := b.kept(tx, w)
	if err != nil {
		return err
	}
	if err := b.announceWipe(tx, w.now, kept); err != nil {
		return err
	}
	for _, name := range b.bucketNames() {
		if err := tx.clear(name); err != nil {
			return err
		}
	}
	for i := range kept {
		if err := b.restore(tx, &kept[i]); err != nil {
			return err
		}
	}
	return nil
}

// kept returns the resources that stay. Kinds of which all go are not read.
func (b Bucket[T, P]) kept(tx *Tx, w wiping) ([]T, error) {
	if !w.keep(b.kind, "") {
		return nil, nil
	}
	all, err := b.All(tx)
	var kept []T
	for i := range all {
		if w.keep(b.kind, P(&all[i]).GetMeta().ID) {
			kept = append(kept, all[i])
		}
	}
	return kept, err
}

// restore puts back a resource as it was.
func (b Bucket[T, P]) restore(tx *Tx, v P) error {
	id := v.GetMeta().ID
	key := b.key(tx, id)
	if b.prefix == "" {
		n, err := b.counter().Next(tx)
		if err != nil {
			return err
		}
		key = orderedKey(n)
		if err := b.name(tx, id, n); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return b.keep(tx, key, nil, v, raw)
}

// announceWipe appends the events of the resources that go. It finds their
// ids and projects without reading them: a reset should be quick.
func (b Bucket[T, P]) announceWipe(tx *Tx, now time.Time, kept []T) error {
	stays := map[simcloud.ID]bool{}
	for i := range kept {
		stays[P(&kept[i]).GetMeta().ID] = true
	}
	owners, ids := b.owners(tx), b.ids(tx)
	events := tx.manyEvents(len(owners.all))
	if err := b.data(tx).ForEach(func(key, raw []byte) error {
		id := ids(order(key))
		if stays[id] {
			return nil
		}
		return events.append(simcloud.Event{
			Time: now, Type: simcloud.Deleted,
			Kind: b.kind, ID: id, Project: owners.of(order(key)), Object: raw,
		})
	}); err != nil {
		return err
	}
	return events.finish()
}

// owner is the project of the resource with a sequence.
type owner struct {
	order   uint64
	project simcloud.ID
}

// owners are the projects of all resources of a kind that have one, in the order of the resources.
type owners struct{ all []owner }

// owners come from the index.
func (b Bucket[T, P]) owners(tx *Tx) *owners {
	o := &owners{}
	var project simcloud.ID
	cursor := b.index(tx).Cursor()
	for key, _ := cursor.Seek([]byte{byProject}); bytes.HasPrefix(key, []byte{byProject}); key, _ = cursor.Next() {
		if text := key[3 : len(key)-8]; string(text) != string(project) {
			project = simcloud.ID(text)
		}
		o.all = append(o.all, owner{order(key), project})
	}
	slices.SortFunc(o.all, func(a, b owner) int { return cmp.Compare(a.order, b.order) })
	return o
}

// of returns the project of a resource, or none. It forgets those before, so
// that sequences must be asked for in their order.
func (o *owners) of(sequence uint64) simcloud.ID {
	for len(o.all) > 0 && o.all[0].order < sequence {
		o.all = o.all[1:]
	}
	if len(o.all) > 0 && o.all[0].order == sequence {
		return o.all[0].project
	}
	return ""
}

// ids maps a sequence to the id.
func (b Bucket[T, P]) ids(tx *Tx) func(uint64) simcloud.ID {
	if b.prefix != "" {
		return b.idOf
	}
	ids := map[uint64]simcloud.ID{}
	forEach(b.names(tx), func(name, _ []byte) {
		ids[order(b.named(tx, simcloud.ID(name)))] = simcloud.ID(name)
	})
	return func(n uint64) simcloud.ID { return ids[n] }
}

func forEach(bucket bucket, fn func(key, value []byte)) {
	cursor := bucket.Cursor()
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		fn(key, value)
	}
}
