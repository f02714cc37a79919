package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Resource is a pointer to a resource of the model.
type Resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

// Ref is a resource that another one refers to.
type Ref struct {
	Kind simcloud.Kind
	ID   simcloud.ID
}

// Bucket holds the resources of one kind in the order of their creation, with
// an index for all that lists and rules look for.
type Bucket[T any, P Resource[T]] struct {
	kind simcloud.Kind
	// prefix of ids that come from a counter; empty when the id is the name.
	prefix string
	state  func(*T) string // nil for kinds without a state
	refs   func(*T) []Ref  // nil for kinds that refer to nothing
}

// Kind returns the kind of the bucket's resources.
func (b Bucket[T, P]) Kind() simcloud.Kind { return b.kind }

func (b Bucket[T, P]) data(tx *Tx) *bolt.Bucket  { return tx.bucket(string(b.kind)) }
func (b Bucket[T, P]) index(tx *Tx) *bolt.Bucket { return tx.bucket(string(b.kind) + indexSuffix) }
func (b Bucket[T, P]) names(tx *Tx) *bolt.Bucket { return tx.bucket(string(b.kind) + namesSuffix) }
func (b Bucket[T, P]) counter() Counter          { return Counter{string(b.kind)} }

// key finds where the resource with this id is kept; nil when nowhere.
func (b Bucket[T, P]) key(tx *Tx, id simcloud.ID) []byte {
	if b.prefix == "" {
		return b.named(tx, id)
	}
	if n, ok := sequence(b.prefix, id); ok {
		return orderedKey(n)
	}
	return nil
}

func (b Bucket[T, P]) named(tx *Tx, id simcloud.ID) []byte {
	if id == "" {
		return nil
	}
	n, err := strconv.ParseUint(string(b.names(tx).Get([]byte(id))), 10, 64)
	if err != nil {
		return nil
	}
	return orderedKey(n)
}

// name lets named find the key n.
func (b Bucket[T, P]) name(tx *Tx, id simcloud.ID, n uint64) error {
	return tx.put(b.names(tx), []byte(id), strconv.AppendUint(nil, n, 10))
}

func (b Bucket[T, P]) raw(tx *Tx, id simcloud.ID) (key, raw []byte) {
	if key = b.key(tx, id); key == nil {
		return nil, nil
	}
	return key, b.data(tx).Get(key)
}

// Get returns the resource with this id, or NotFound.
func (b Bucket[T, P]) Get(tx *Tx, id simcloud.ID) (T, error) {
	_, raw := b.raw(tx, id)
	if raw == nil {
		var none T
		return none, b.NotFound(id)
	}
	return b.decode(raw)
}

// Has reports whether there is a resource with this id.
func (b Bucket[T, P]) Has(tx *Tx, id simcloud.ID) bool {
	_, raw := b.raw(tx, id)
	return raw != nil
}

// NotFound is the error for an id that is not in the bucket.
func (b Bucket[T, P]) NotFound(id simcloud.ID) error {
	return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(b.kind, id), "there is no such %s", b.Noun())
}

// Noun returns the kind as people say it: "load balancer".
func (b Bucket[T, P]) Noun() string { return strings.ReplaceAll(string(b.kind), "_", " ") }

func (b Bucket[T, P]) decode(raw []byte) (v T, err error) {
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("the %s bucket: %w", b.kind, err)
	}
	return v, nil
}

// NewID returns the id of the next resource.
func (b Bucket[T, P]) NewID(tx *Tx) (simcloud.ID, error) {
	n, err := b.counter().Next(tx)
	return b.idOf(n), err
}

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
	return b.keep(tx, key, nil, v, raw)
}

// claim makes the key of a new resource.
func (b Bucket[T, P]) claim(tx *Tx, v P, now time.Time) ([]byte, error) {
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
	return tx.appendEvent(simcloud.Event{
		Revision: meta.Version, Time: meta.Updated, Type: what,
		Kind: b.kind, ID: meta.ID, Project: meta.Project, Object: raw,
	})
}

func (b Bucket[T, P]) keep(tx *Tx, key []byte, before *T, v P, raw []byte) error {
	if err := b.reindex(tx, key, before, (*T)(v)); err != nil {
		return err
	}
	return tx.put(b.data(tx), key, raw)
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
	if b.prefix == "" {
		if err := tx.remove(b.names(tx), []byte(P(before).GetMeta().ID)); err != nil {
			return err
		}
	}
	return tx.remove(b.data(tx), key)
}

// Restore is Insert of a resource whose id is fixed: ids that come later are beyond it.
func (b Bucket[T, P]) Restore(tx *Tx, now time.Time, v P) error {
	if n, ok := sequence(b.prefix, v.GetMeta().ID); ok && b.prefix != "" && n > b.counter().Last(tx) {
		if err := b.counter().Set(tx, n); err != nil {
			return err
		}
	}
	return b.Insert(tx, now, v)
}
