package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// Storage is the objects of one resource, for the library k8s.io/apiserver. It has no objects itself: which DB it reads
// and writes is said by the context of each call, so that one set of handlers serves all API servers of a process.
type Storage struct {
	// Resource is the name of the table.
	Resource string
	// NewObject makes an empty object of the kind.
	NewObject func() runtime.Object
}

var _ storage.Interface = (*Storage)(nil)

type contextKey int

const (
	dbKey contextKey = iota
	cacheKey
)

// WithDB returns a context whose calls of a Storage are about the DB.
func WithDB(ctx context.Context, db *DB) context.Context { return context.WithValue(ctx, dbKey, db) }

// WithCache returns a context in which a Storage answers what may be old from the cache. Without it, it reads the DB.
func WithCache(ctx context.Context, c *Cache) context.Context {
	return context.WithValue(ctx, cacheKey, c)
}

// cacheOf returns the cache of [WithCache].
func cacheOf(ctx context.Context) *Cache {
	if c, ok := ctx.Value(cacheKey).(*Cache); ok {
		return c
	}
	return NewCache(FromContext(ctx))
}

// FromContext returns the DB of [WithDB].
func FromContext(ctx context.Context) *DB { return ctx.Value(dbKey).(*DB) }

var versioner = storage.APIObjectVersioner{}

// Versioner reads and sets resource versions.
func (*Storage) Versioner() storage.Versioner { return versioner }

// Create adds an object, and sets out to it as it is kept.
func (s *Storage) Create(ctx context.Context, key string, object, out runtime.Object, _ uint64) error {
	if version, err := versioner.ObjectResourceVersion(object); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	created := object.DeepCopyObject()
	if err := versioner.PrepareObjectForStorage(created); err != nil {
		return fmt.Errorf("create %s: %w", key, err)
	}
	kept, ok := FromContext(ctx).put(s.Resource, key, nil, created)
	if !ok {
		return storage.NewKeyExistsError(key, 0)
	}
	if out != nil {
		copyTo(out, kept)
	}
	return nil
}

// Delete removes the object of a key, and sets out to it as it was, with the resource version of its deletion.
func (s *Storage) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, _ runtime.Object, _ storage.DeleteOptions,
) error {
	db := FromContext(ctx)
	for {
		current, _ := db.Get(s.Resource, key)
		if current == nil {
			return storage.NewKeyNotFoundError(key, 0)
		}
		if err := preconditions.Check(key, current); err != nil {
			return err
		}
		if err := validate(ctx, current.DeepCopyObject()); err != nil {
			return err
		}
		if revision, ok := db.remove(s.Resource, key, current); ok {
			copyTo(out, current)
			stamp(out, revision)
			return nil
		}
	}
}

// Get sets out to the object of a key.
func (s *Storage) Get(ctx context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	object, err := s.read(ctx, key, opts.ResourceVersion)
	switch {
	case err != nil:
		return err
	case object != nil:
		copyTo(out, object)
		return nil
	case opts.IgnoreNotFound:
		return runtime.SetZeroValue(out)
	default:
		return storage.NewKeyNotFoundError(key, 0)
	}
}

// read returns the object of a key, nil for none, not older than a resource version. Without one it is never old.
func (s *Storage) read(ctx context.Context, key, version string) (runtime.Object, error) {
	if version == "" {
		object, _ := FromContext(ctx).Get(s.Resource, key)
		return object, nil
	}
	if err := s.reach(ctx, version); err != nil {
		return nil, err
	}
	object, _ := cacheOf(ctx).get(s.Resource, key)
	return object, nil
}

// reach waits until the cache of a request is not older than a resource version.
func (s *Storage) reach(ctx context.Context, version string) error {
	wanted, err := versioner.ParseResourceVersion(version)
	if err != nil {
		return err
	}
	if now := FromContext(ctx).Revision(); wanted > now {
		return storage.NewTooLargeResourceVersionError(wanted, now, retrySeconds)
	}
	return cacheOf(ctx).reach(ctx, s.Resource, wanted)
}

// retrySeconds is when a client may ask again for a version that is yet to come.
const retrySeconds = 1

// GuaranteedUpdate changes the object of a key by update, which is called again when another writer came first. What is
// the same afterwards is not written.
func (s *Storage) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object,
) error {
	db := FromContext(ctx)
	for {
		current, _ := db.Get(s.Resource, key)
		if current == nil && !ignoreNotFound {
			return storage.NewKeyNotFoundError(key, 0)
		}
		updated, err := s.update(current, key, preconditions, update)
		if err != nil {
			return err
		}
		if current != nil && same(current, updated) {
			copyTo(out, current)
			return nil
		}
		if kept, ok := db.put(s.Resource, key, current, updated); ok {
			copyTo(out, kept)
			return nil
		}
	}
}

// update returns what an update makes of the current object, without a resource version.
func (s *Storage) update(current runtime.Object, key string, preconditions *storage.Preconditions, update storage.UpdateFunc) (runtime.Object, error) {
	input, read := s.NewObject(), storage.ResponseMeta{}
	if current != nil {
		input = current.DeepCopyObject()
		version, err := versioner.ObjectResourceVersion(current)
		if err != nil {
			return nil, err
		}
		read.ResourceVersion = version
	}
	if err := preconditions.Check(key, input); err != nil {
		return nil, err
	}
	updated, _, err := update(input, read)
	if err != nil {
		return nil, err
	}
	updated = updated.DeepCopyObject()
	if err := versioner.PrepareObjectForStorage(updated); err != nil {
		return nil, fmt.Errorf("update %s: %w", key, err)
	}
	return updated, nil
}

// same reports whether an update, which has no resource version, changes nothing.
func same(current, updated runtime.Object) bool {
	bare := current.DeepCopyObject()
	if err := versioner.PrepareObjectForStorage(bare); err != nil {
		return false
	}
	bare.GetObjectKind().SetGroupVersionKind(updated.GetObjectKind().GroupVersionKind())
	return equality.Semantic.DeepEqual(bare, updated)
}

// copyTo sets out to a copy of an object of its type.
func copyTo(out, object runtime.Object) {
	reflect.ValueOf(out).Elem().Set(reflect.ValueOf(object.DeepCopyObject()).Elem())
}

// Stats reports how many objects there are: nothing here asks for it.
func (*Storage) Stats(context.Context) (storage.Stats, error) {
	return storage.Stats{}, errors.New("the objects are not counted")
}

// ReadinessCheck always passes.
func (*Storage) ReadinessCheck() error { return nil }

// RequestWatchProgress has nothing to do: watches are never behind.
func (*Storage) RequestWatchProgress(context.Context) error { return nil }

// GetCurrentResourceVersion is the revision of the DB.
func (*Storage) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	return FromContext(ctx).Revision(), nil
}

// EnableResourceSizeEstimation has nothing to do.
func (*Storage) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

// CompactRevision is not known without a request.
func (*Storage) CompactRevision() int64 { return 0 }
