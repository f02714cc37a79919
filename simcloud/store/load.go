package store

import (
	"encoding/json"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Loading says how a snapshot becomes the cloud.
type Loading struct {
	// Now is the time of what changes.
	Now time.Time
	// Keep names resources that stay though the snapshot does not have them.
	Keep func(simcloud.Kind, simcloud.ID) bool
	// Revise adapts a resource of the snapshot, given by its pointer, to the cloud that it comes to.
	Revise func(any)
}

// Load makes the resources equal to those of a snapshot, with an event for
// each that differs, and lets ids and addresses go on from there. Tokens, the
// clock and the revision stay; answers are forgotten, and what is due is left
// to the caller. It works in UpdateAlone only.
func Load(tx, from *Tx, l Loading) error {
	tx.renewed = true
	var keeping []func() error
	for _, k := range snapshotKinds() {
		keep, err := k.load(tx, from, l)
		if err != nil {
			return err
		}
		keeping = append(keeping, keep)
	}
	if err := loadTables(tx, from); err != nil {
		return err
	}
	if err := loadCounters(tx, from); err != nil {
		return err
	}
	for _, keep := range keeping {
		if err := keep(); err != nil {
			return err
		}
	}
	return Recount(tx)
}

func loadTables(tx, from *Tx) error {
	for _, t := range transient() {
		if err := t.Clear(tx); err != nil {
			return err
		}
	}
	for _, t := range snapshotTables() {
		name := t.bucketName()
		if name == Due.name {
			continue
		}
		if err := adopt(tx.bucket(name), from.bucket(name)); err != nil {
			return err
		}
	}
	return nil
}

// adopt copies the entries of a bucket of another file, which may be closed before the transaction ends.
func adopt(into, from bucket) error {
	return from.ForEach(func(key, value []byte) error { return into.Put(key, value) })
}

// ownCounters are those that go on whatever the cloud becomes.
func ownCounters() []string {
	return []string{revisionName, TokenCounter.name, eventBytes.name}
}

func loadCounters(tx, from *Tx) error {
	own := map[string]uint64{}
	for _, name := range ownCounters() {
		own[name] = Counter{name}.Last(tx)
	}
	if err := tx.clear(counterBucket); err != nil {
		return err
	}
	if err := adopt(tx.bucket(counterBucket), from.bucket(counterBucket)); err != nil {
		return err
	}
	for name, n := range own {
		if err := (Counter{name}).Set(tx, n); err != nil {
			return err
		}
	}
	return nil
}

// load replaces the resources of the bucket. What it returns puts back those
// that are kept, once the counters are those of the snapshot.
func (b Bucket[T, P]) load(tx, from *Tx, l Loading) (keep func() error, err error) {
	have, err := b.All(tx)
	if err != nil {
		return nil, err
	}
	want, err := b.All(from)
	if err != nil {
		return nil, err
	}
	wanted := map[simcloud.ID]bool{}
	for i := range want {
		wanted[P(&want[i]).GetMeta().ID] = true
	}
	before, kept, gone := map[simcloud.ID]*T{}, []T{}, []T{}
	for i := range have {
		switch id := P(&have[i]).GetMeta().ID; {
		case wanted[id]:
			before[id] = &have[i]
		case l.Keep(b.kind, id):
			kept = append(kept, have[i])
		default:
			gone = append(gone, have[i])
		}
	}
	if err := b.exchange(tx, from, l, gone, want, before); err != nil {
		return nil, err
	}
	return func() error { return b.putBack(tx, kept) }, nil
}

func (b Bucket[T, P]) putBack(tx *Tx, kept []T) error {
	for i := range kept {
		if err := b.restore(tx, &kept[i]); err != nil {
			return err
		}
	}
	return nil
}

// exchange puts what is wanted in the place of all that is there, and tells of the difference.
func (b Bucket[T, P]) exchange(tx, from *Tx, l Loading, gone, want []T, before map[simcloud.ID]*T) error {
	for i := range gone {
		if err := b.announce(tx, l.Now, &gone[i], simcloud.Deleted); err != nil {
			return err
		}
	}
	for _, name := range b.bucketNames() {
		if err := tx.clear(name); err != nil {
			return err
		}
	}
	var entries [][]byte
	for i := range want {
		v := P(&want[i])
		l.Revise(v)
		if err := b.become(tx, l.Now, before[v.GetMeta().ID], v); err != nil {
			return err
		}
		key := b.key(from, v.GetMeta().ID)
		if err := b.keepAs(tx, key, v); err != nil {
			return err
		}
		entries = b.appendEntries(entries, order(key), (*T)(v))
	}
	return b.fill(tx, entries)
}

// keepAs keeps a resource, but for its index, at the key that it has in the snapshot.
func (b Bucket[T, P]) keepAs(tx *Tx, key []byte, v P) error {
	if b.prefix == "" {
		if err := b.name(tx, v.GetMeta().ID, order(key)); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.put(b.data(tx), key, raw)
}

// become gives v the version and the time of its last change: those of before
// when nothing else differs.
func (b Bucket[T, P]) become(tx *Tx, now time.Time, before *T, v P) error {
	meta := v.GetMeta()
	if before == nil {
		return b.announce(tx, now, (*T)(v), simcloud.Created)
	}
	old := P(before).GetMeta()
	meta.Version, meta.Updated = old.Version, old.Updated
	was, errWas := json.Marshal(before)
	is, errIs := json.Marshal(v)
	if errWas == nil && errIs == nil && string(was) == string(is) {
		return nil
	}
	return b.announce(tx, now, (*T)(v), simcloud.Updated)
}

// announce gives a resource the next revision and appends its event. A deleted one is shown as it was.
func (b Bucket[T, P]) announce(tx *Tx, now time.Time, v *T, what simcloud.EventType) error {
	rev, err := revision.Next(tx)
	if err != nil {
		return err
	}
	meta := P(v).GetMeta()
	if what != simcloud.Deleted {
		meta.Version, meta.Updated = rev, now
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.appendEvent(simcloud.Event{
		Revision: rev, Time: now, Type: what, Kind: b.kind, ID: meta.ID, Project: meta.Project, Object: raw,
	})
}

// Object is a resource of any kind as it is kept.
type Object struct {
	Ref
	Raw json.RawMessage
}

// Objects returns all that a snapshot of the cloud has, in the order of kinds.
func (tx *Tx) Objects() ([]Object, error) {
	var all []Object
	for _, k := range snapshotKinds() {
		found, err := k.objects(tx)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (b Bucket[T, P]) objects(tx *Tx) ([]Object, error) {
	items, err := b.All(tx)
	if err != nil {
		return nil, err
	}
	objects := make([]Object, len(items))
	for i := range items {
		raw, err := json.Marshal(&items[i])
		if err != nil {
			return nil, err
		}
		objects[i] = Object{Ref{b.kind, P(&items[i]).GetMeta().ID}, raw}
	}
	return objects, nil
}
