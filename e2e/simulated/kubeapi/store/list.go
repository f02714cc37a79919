package store

import (
	"context"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// GetList fills a list with the objects of a key, or below it, that the options select.
func (s *Storage) GetList(ctx context.Context, key string, opts storage.ListOptions, list runtime.Object) error {
	if opts.Recursive && !strings.HasSuffix(key, "/") {
		key += "/"
	}
	at, after, err := storage.ValidateListOptions(key, versioner, opts)
	if err != nil {
		return err
	}
	entries, revision, err := s.entries(ctx, key, uint64(max(at, 0)), opts)
	if err != nil {
		return err
	}
	return fill(list, entries, key, after, revision, opts)
}

// entries returns the objects at a revision, 0 for one that is not older than the options allow, and that revision.
func (s *Storage) entries(ctx context.Context, key string, at uint64, opts storage.ListOptions) ([]Entry, uint64, error) {
	if at > 0 && opts.Recursive {
		return s.entriesAt(ctx, key, at)
	}
	if opts.ResourceVersion == "" { // it is never old
		db := FromContext(ctx)
		if opts.Recursive {
			all, revision := db.List(s.Resource, key)
			return all, revision, nil
		}
		object, revision := db.Get(s.Resource, key)
		return only(key, object), revision, nil
	}
	if err := s.reach(ctx, opts.ResourceVersion); err != nil {
		return nil, 0, err
	}
	if opts.Recursive {
		all, revision := cacheOf(ctx).list(s.Resource, key)
		return all, revision, nil
	}
	object, revision := cacheOf(ctx).get(s.Resource, key)
	return only(key, object), revision, nil
}

// only is an entry with the object, unless that is nil.
func only(key string, object runtime.Object) []Entry {
	if object == nil {
		return nil
	}
	return []Entry{{key, object}}
}

// entriesAt returns the objects exactly at a revision. A cache that is behind does not matter: etcd answers.
func (s *Storage) entriesAt(ctx context.Context, key string, at uint64) ([]Entry, uint64, error) {
	db := FromContext(ctx)
	all, there := db.ListAt(s.Resource, key, at)
	switch now := db.Revision(); {
	case there:
		return all, at, nil
	case at > now:
		return nil, 0, storage.NewTooLargeResourceVersionError(at, now, retrySeconds)
	default:
		return nil, 0, apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
}

// fill puts the objects of one page into a list: those after a key, as many as the options allow.
func fill(list runtime.Object, entries []Entry, prefix, after string, revision uint64, opts storage.ListOptions) error {
	items, err := meta.GetItemsPtr(list)
	if err != nil {
		return err
	}
	page := reflect.ValueOf(items).Elem()
	page.Set(reflect.MakeSlice(page.Type(), 0, len(entries)))
	var last string
	for i, entry := range entries {
		if entry.Key < after {
			continue
		}
		if limit := opts.Predicate.Limit; limit > 0 && int64(page.Len()) == limit {
			return continued(list, last, prefix, revision, int64(len(entries)-i), opts)
		}
		matches, err := opts.Predicate.Matches(entry.Object)
		if err != nil {
			return err
		}
		if last = entry.Key; matches {
			page.Set(reflect.Append(page, reflect.ValueOf(entry.Object.DeepCopyObject()).Elem()))
		}
	}
	return versioner.UpdateList(list, revision, "", nil)
}

// continued ends a page after which there are more.
func continued(list runtime.Object, last, prefix string, revision uint64, left int64, opts storage.ListOptions) error {
	token, remaining, err := storage.PrepareContinueToken(last, prefix, int64(revision), left, true, opts) //nolint:gosec // a count of changes
	if err != nil {
		return err
	}
	if remaining != nil { // it counts the page, too
		*remaining = left
	}
	return versioner.UpdateList(list, revision, token, remaining)
}
