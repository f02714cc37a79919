package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
)

// bookmarkPeriod is how often a watch that asks for bookmarks gets one, as from a real API server.
const bookmarkPeriod = time.Minute

// lastBookmark is how long before its end a watch gets a bookmark.
const lastBookmark = 2 * time.Second

// Watch follows the objects of a key, or below it, that the options select.
func (s *Storage) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	if opts.Recursive && !strings.HasSuffix(key, "/") {
		key += "/"
	}
	from, err := versioner.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	cache := cacheOf(ctx)
	v, _ := cache.look(s.Resource)
	ctx, cancel := context.WithCancel(ctx)
	w := &watcher{
		storage: s, db: FromContext(ctx), cache: cache, server: v.server, key: key, opts: opts, revision: from,
		results: make(chan watch.Event, watchBuffer), cancel: cancel, done: ctx.Done(),
	}
	w.deadline, _ = ctx.Deadline()
	go w.run(ctx)
	return w, nil
}

// watchBuffer is how many events wait for a client that is slow.
const watchBuffer = 100

// watcher is one watch.
type watcher struct {
	storage  *Storage
	db       *DB
	cache    *Cache
	server   int // the API server that answers: see [view]
	key      string
	opts     storage.ListOptions
	revision uint64 // of the last change that was sent, or need not be
	results  chan watch.Event
	cancel   context.CancelFunc
	done     <-chan struct{}
	deadline time.Time // when the watch ends; zero for never
}

// Stop ends the watch.
func (w *watcher) Stop() { w.cancel() }

// ResultChan has the events.
func (w *watcher) ResultChan() <-chan watch.Event { return w.results }

func (w *watcher) run(ctx context.Context) {
	defer close(w.results)
	defer w.cancel()
	if !w.begin(ctx) {
		return
	}
	bookmarks := time.NewTimer(w.untilBookmark())
	defer bookmarks.Stop()
	for {
		changes, more, there := w.db.Since(w.storage.Resource, w.revision)
		v, other := w.cache.look(w.storage.Resource) // later than the changes, which it shows
		switch {
		case v.server != w.server:
			return
		case !there || w.revision < v.forgotten:
			w.send(expired(w.revision, max(w.db.Compacted(), v.forgotten)))
			return
		}
		for _, c := range changes {
			if c.Revision > v.limit() {
				break
			}
			if !w.sendChange(c) {
				return
			}
		}
		select {
		case <-more:
		case <-other:
		case <-bookmarks.C:
			if w.opts.Predicate.AllowWatchBookmarks && !w.sendBookmark(false) {
				return
			}
			bookmarks.Reset(w.untilBookmark())
		case <-w.done:
			return
		}
	}
}

// begin sends what is there already, when the client asks for that; false when the watch is over.
func (w *watcher) begin(ctx context.Context) bool {
	initial := w.opts.SendInitialEvents
	switch {
	case initial == nil && w.revision > 0:
		return true
	case initial != nil && !*initial:
		if w.revision == 0 {
			_, w.revision = w.seen()
		}
		return true
	case initial != nil && !w.fresh(ctx):
		return false
	}
	entries, revision := w.seen()
	w.revision = revision
	for _, entry := range entries {
		if matches, err := w.opts.Predicate.Matches(entry.Object); err == nil && matches && !w.sendObject(watch.Added, entry.Object, 0) {
			return false
		}
	}
	return initial == nil || !w.opts.Predicate.AllowWatchBookmarks || w.sendBookmark(true)
}

// fresh waits until what is there already can be sent: as of now unless the client names a resource version. Without
// WatchList it is sent as it is.
func (w *watcher) fresh(ctx context.Context) bool {
	if !w.cache.WatchList(w.storage.Resource) {
		return true
	}
	wanted := w.revision
	if w.opts.ResourceVersion == "" {
		wanted = w.db.Revision()
	}
	err := w.cache.reach(ctx, w.storage.Resource, wanted)
	var refused apierrors.APIStatus
	if errors.As(err, &refused) {
		status := refused.Status()
		w.send(watch.Event{Type: watch.Error, Object: &status})
	}
	return err == nil
}

// seen is what the watch is about, as the cache shows it.
func (w *watcher) seen() ([]Entry, uint64) {
	if w.opts.Recursive {
		return w.cache.list(w.storage.Resource, w.key)
	}
	object, revision := w.cache.get(w.storage.Resource, w.key)
	return only(w.key, object), revision
}

// untilBookmark is how long the next bookmark is away: the last one comes shortly before the end of the watch.
func (w *watcher) untilBookmark() time.Duration {
	if w.deadline.IsZero() {
		return bookmarkPeriod
	}
	if left := time.Until(w.deadline) - lastBookmark; left > 0 {
		return min(left, bookmarkPeriod)
	}
	return bookmarkPeriod
}

// concerns reports whether a key is watched.
func (w *watcher) concerns(key string) bool {
	return key == w.key || w.opts.Recursive && strings.HasPrefix(key, w.key)
}

// sendChange sends what a change is to this client: an object that no longer matches is deleted.
func (w *watcher) sendChange(c Change) bool {
	w.revision = c.Revision
	if !w.concerns(c.Key) {
		return true
	}
	before, after := w.matching(c.Before), w.matching(c.After)
	switch {
	case before && after:
		return w.sendObject(watch.Modified, c.After, 0)
	case after:
		return w.sendObject(watch.Added, c.After, 0)
	case before:
		return w.sendObject(watch.Deleted, c.Before, c.Revision)
	}
	return true
}

func (w *watcher) matching(object runtime.Object) bool {
	if object == nil {
		return false
	}
	matches, err := w.opts.Predicate.Matches(object)
	return err == nil && matches
}

// sendObject sends a copy of an object, with another revision unless that is 0.
func (w *watcher) sendObject(event watch.EventType, object runtime.Object, revision uint64) bool {
	object = object.DeepCopyObject()
	if revision > 0 {
		stamp(object, revision)
	}
	return w.send(watch.Event{Type: event, Object: object})
}

// sendBookmark tells the client how far it has seen all; last marks the end of what was there when the watch began.
func (w *watcher) sendBookmark(last bool) bool {
	object := w.storage.NewObject()
	if !last {
		w.revision = max(w.revision, w.quiet())
	}
	stamp(object, w.revision)
	if last {
		if err := storage.AnnotateInitialEventsEndBookmark(object); err != nil {
			return false
		}
	}
	return w.send(watch.Event{Type: watch.Bookmark, Object: object})
}

// quiet is the revision that the cache shows; 0 when there are changes that were not sent.
func (w *watcher) quiet() uint64 {
	now := w.db.Revision()
	changes, _, there := w.db.Since(w.storage.Resource, w.revision)
	v, _ := w.cache.look(w.storage.Resource)
	shown := min(now, v.limit())
	if !there || len(changes) > 0 && changes[0].Revision <= shown {
		return 0
	}
	return shown
}

func (w *watcher) send(event watch.Event) bool {
	select {
	case w.results <- event:
		return true
	case <-w.done:
		return false
	}
}

// expired ends a watch whose changes are forgotten: the client has to list again.
func expired(revision, compacted uint64) watch.Event {
	status := apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", revision, compacted)).Status()
	return watch.Event{Type: watch.Error, Object: &status}
}
