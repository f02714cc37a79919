package store

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// Cache is the watch cache of an API server, as one client sees it: it answers watches, and reads that may be old. Each API
// server of a real cluster has its own, which follows etcd more or less late. This one shows the present unless [Cache.Lag]
// holds it back.
type Cache struct {
	db *DB

	mu      sync.Mutex       // guards what follows
	views   map[string]*view // by resource
	changed chan struct{}    // closed by the next change of a view
}

// NewCache returns a cache that shows the present.
func NewCache(db *DB) *Cache {
	return &Cache{db: db, views: map[string]*view{}, changed: make(chan struct{})}
}

// view is what a cache shows of one resource.
type view struct {
	lag *Lag // nil while it shows the present
	// forgotten is the last revision whose change can no longer be watched.
	forgotten uint64
	// server counts the API servers that have answered: watches of an earlier one have ended.
	server int
}

// present is the limit of a view that shows everything.
const present = math.MaxUint64

// limit is the revision that the view shows.
func (v *view) limit() uint64 {
	if v.lag == nil {
		return present
	}
	return v.lag.Revision
}

// viewLocked returns the view of a resource.
func (c *Cache) viewLocked(resource string) *view {
	v := c.views[resource]
	if v == nil {
		v = &view{}
		c.views[resource] = v
	}
	return v
}

// look returns the view of a resource as it is now, and a channel that is closed when it may be another.
func (c *Cache) look(resource string) (view, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.viewLocked(resource), c.changed
}

// list returns the objects whose keys begin with a prefix, and the revision at which they were so.
func (c *Cache) list(resource, prefix string) ([]Entry, uint64) {
	v, _ := c.look(resource)
	if v.lag != nil {
		if entries, there := c.db.ListAt(resource, prefix, v.lag.Revision); there {
			return entries, v.lag.Revision
		}
	}
	return c.db.List(resource, prefix)
}

// get returns the object of a key, nil for none, and the revision at which it was so.
func (c *Cache) get(resource, key string) (runtime.Object, uint64) {
	entries, revision := c.list(resource, key)
	at := slices.IndexFunc(entries, func(e Entry) bool { return e.Key == key })
	if at < 0 {
		return nil, revision
	}
	return entries[at].Object, revision
}

// blockTimeout is how long a request waits for a cache that is behind, as in k8s.io/apiserver.
const blockTimeout = 3 * time.Second

// reach waits until a cache that is behind shows a revision.
func (c *Cache) reach(ctx context.Context, resource string, revision uint64) error {
	timeout := time.NewTimer(blockTimeout)
	defer timeout.Stop()
	for {
		v, changed := c.look(resource)
		if revision <= v.limit() {
			return nil
		}
		select {
		case <-changed:
		case <-timeout.C:
			return storage.NewTooLargeResourceVersionError(revision, v.limit(), retrySeconds)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
