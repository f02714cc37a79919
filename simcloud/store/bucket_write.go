package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// NewID returns the id of the next resource.
func (b Bucket[T, P]) NewID(tx *Tx) (simcloud.ID, error) {
	n, err := b.counter().Next(tx)
	return b.idOf(n), err
}

// Sequence returns the place of a resource in the order of creation; 0 when it is not there.
func (b Bucket[T, P]) Sequence(tx *Tx, id simcloud.ID) uint64 { return order(b.key(tx, id)) }

func (b Bucket[T, P]) idOf(n uint64) simcloud.ID {
	return simcloud.ID(b.prefix + strconv.FormatUint(n, 10))
}

// Insert adds a resource that has its id already. It sets the times and the
// version, and answers AlreadyExists when the id is taken.
func (b Bucket[T, P]) Insert(tx *Tx, now time.Time, v P) error {
	key, err := b.claim(tx, v, now)
	if err != nil {
		return err
	}
	return b.write(tx, key, nil, v, simcloud.Created)
}

// InsertQuietly is Insert without an event; the version is the one before.
func (b Bucket[T, P]) InsertQuietly(tx *Tx, now time.Time, v P) error {
	key, err := b.claim(tx, v, now)
	if err != nil {
		return err
	}
	v.GetMeta().Version = tx.Revision()
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := b.keep(tx, key, nil, v, raw); err != nil {
		return err
	}
	return b.use(tx, nil, (*T)(v))
}

// claim makes the key of a new resource.
func (b Bucket[T, P]) claim(tx *Tx, v P, now time.Time) ([]byte, error) {
	tx.at(now)
	meta := v.GetMeta()
	if b.Has(tx, meta.ID) {
		return nil, simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(b.kind, meta.ID), "the %s exists already", b.Noun())
	}
	meta.Created, meta.Updated = now, now
	if b.prefix != "" {
		key := b.key(tx, meta.ID)
		if key == nil {
			return nil, fmt.Errorf("%q is not the id of a %s", meta.ID, b.Noun())
		}
		return key, nil
	}
	n, err := b.counter().Next(tx)
	if err != nil {
		return nil, err
	}
	return orderedKey(n), b.name(tx, meta.ID, n)
}

// Update replaces a resource, and sets its time and version.
func (b Bucket[T, P]) Update(tx *Tx, now time.Time, v P) error {
	key, raw := b.raw(tx, v.GetMeta().ID)
	if raw == nil {
		return b.NotFound(v.GetMeta().ID)
	}
	before, err := b.decode(raw)
	if err != nil {
		return err
	}
	tx.at(now)
	v.GetMeta().Updated = now
	return b.write(tx, key, &before, v, simcloud.Updated)
}

// write gives v the next revision, and keeps it and its event.
func (b Bucket[T, P]) write(tx *Tx, key []byte, before *T, v P, what simcloud.EventType) error {
	meta := v.GetMeta()
	var err error
	if meta.Version, err = revision.Next(tx); err != nil {
		return err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := b.keep(tx, key, before, v, raw); err != nil {
		return err
	}
	if err := b.use(tx, before, (*T)(v)); err != nil {
		return err
	}
	return tx.appendEvent(simcloud.Event{
		Revision: meta.Version, Time: meta.Updated, Type: what,
		Kind: b.kind, ID: meta.ID, Project: meta.Project, Object: raw,
	})
}

func (b Bucket[T, P]) keep(tx *Tx, key []byte, before *T, v P, raw []byte) error {
	if err := b.reindex(tx, key, before, (*T)(v)); err != nil {
		return err
	}
	data := b.data(tx)
	tx.note(b.kind, v.GetMeta().Project, key, data.Get(key))
	return tx.put(data, key, raw)
}

// use counts what a change of a resource means for its project.
func (b Bucket[T, P]) use(tx *Tx, before, after *T) error {
	uses, err := b.uses(tx, before, after)
	if err != nil {
		return err
	}
	return tx.use(uses)
}

// Delete removes a resource; the event shows it as it was.
func (b Bucket[T, P]) Delete(tx *Tx, now time.Time, id simcloud.ID) error {
	key, raw := b.raw(tx, id)
	if raw == nil {
		return b.NotFound(id)
	}
	before, err := b.decode(raw)
	if err != nil {
		return err
	}
	tx.at(now)
	rev, err := revision.Next(tx)
	if err != nil {
		return err
	}
	if err := tx.appendEvent(simcloud.Event{
		Revision: rev, Time: now, Type: simcloud.Deleted,
		Kind: b.kind, ID: id, Project: P(&before).GetMeta().Project, Object: raw,
	}); err != nil {
		return err
	}
	return b.drop(tx, key, &before)
}

// DeleteQuietly removes a resource, if it is there, without an event.
func (b Bucket[T, P]) DeleteQuietly(tx *Tx, id simcloud.ID) error {
	key, raw := b.raw(tx, id)
	if raw == nil {
		return nil
	}
	before, err := b.decode(raw)
	if err != nil {
		return err
	}
	return b.drop(tx, key, &before)
}

func (b Bucket[T, P]) drop(tx *Tx, key []byte, before *T) error {
	if err := b.reindex(tx, key, before, nil); err != nil {
		return err
	}
	if err := b.use(tx, before, nil); err != nil {
		return err
	}
	if b.prefix == "" {
		if err := tx.remove(b.names(tx), []byte(P(before).GetMeta().ID)); err != nil {
			return err
		}
	}
	data := b.data(tx)
	tx.note(b.kind, P(before).GetMeta().Project, key, data.Get(key))
	return tx.remove(data, key)
}

// Restore is Insert of a resource whose id is fixed: ids that come later are beyond it.
func (b Bucket[T, P]) Restore(tx *Tx, now time.Time, v P) error {
	if n, ok := numberOf(b.prefix, v.GetMeta().ID); ok && b.prefix != "" && n > b.counter().Last(tx) {
		if err := b.counter().Set(tx, n); err != nil {
			return err
		}
	}
	return b.Insert(tx, now, v)
}
