package store

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DB has the objects of one API server. Objects that it returns are shared: callers copy them before a change.
type DB struct {
	mu       sync.Mutex
	revision uint64
	// compacted is the last revision whose change can no longer be watched.
	compacted uint64
	tables    map[string]*table
	changed   chan struct{} // closed by the next change
}

// table has the objects of one resource.
type table struct {
	objects map[string]runtime.Object // by key
	changes []Change                  // in the order of their revisions
}

// Change is what one write has done to one object.
type Change struct {
	Revision uint64
	Time     time.Time
	Key      string
	// Before is nil for an object that was created, After for one that was deleted.
	Before, After runtime.Object
}

// Entry is an object and its key, such as /services/default/web.
type Entry struct {
	Key    string
	Object runtime.Object
}

// New returns an empty DB.
func New() *DB {
	return &DB{revision: 1, tables: map[string]*table{}, changed: make(chan struct{})}
}

// tableLocked returns the table of a resource.
func (db *DB) tableLocked(resource string) *table {
	t := db.tables[resource]
	if t == nil {
		t = &table{objects: map[string]runtime.Object{}}
		db.tables[resource] = t
	}
	return t
}

// Revision is that of the last change.
func (db *DB) Revision() uint64 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.revision
}

// RevisionAt is the revision that the DB had at a time, or the oldest one that can still be read.
func (db *DB) RevisionAt(at time.Time) uint64 {
	db.mu.Lock()
	defer db.mu.Unlock()
	revision := db.compacted
	for _, t := range db.tables {
		later := func(c Change, at time.Time) int {
			if c.Time.After(at) {
				return 1
			}
			return -1
		}
		if n, _ := slices.BinarySearchFunc(t.changes, at, later); n > 0 {
			revision = max(revision, t.changes[n-1].Revision)
		}
	}
	return revision
}

// Compacted is the last revision whose change can no longer be watched.
func (db *DB) Compacted() uint64 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.compacted
}

// Changed returns a channel that is closed by the next change of any object.
func (db *DB) Changed() <-chan struct{} {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.changed
}

// Compact forgets the changes up to now: who wants to watch from an older revision has to list again.
func (db *DB) Compact() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.compacted = db.revision
	for _, t := range db.tables {
		t.changes = nil
	}
}

// Get returns the object of a key, nil when there is none, and the revision of the DB.
func (db *DB) Get(resource, key string) (runtime.Object, uint64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.tableLocked(resource).objects[key], db.revision
}

// List returns the objects whose keys begin with a prefix, in the order of their keys, and the revision of the DB.
func (db *DB) List(resource, prefix string) ([]Entry, uint64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return sorted(db.tableLocked(resource).objects, prefix), db.revision
}

// ListAt is List as it was at a revision; false when that is compacted or yet to come.
func (db *DB) ListAt(resource, prefix string, revision uint64) ([]Entry, bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if revision < db.compacted || revision > db.revision {
		return nil, false
	}
	t := db.tableLocked(resource)
	then := maps.Clone(t.objects)
	for _, c := range slices.Backward(t.changes) {
		if c.Revision <= revision {
			break
		}
		if then[c.Key] = c.Before; c.Before == nil {
			delete(then, c.Key)
		}
	}
	return sorted(then, prefix), true
}

func sorted(objects map[string]runtime.Object, prefix string) []Entry {
	var keys []string
	for key := range objects {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	found := make([]Entry, len(keys))
	for i, key := range keys {
		found[i] = Entry{key, objects[key]}
	}
	return found
}

// Since returns the changes of a resource after a revision, and a channel that is closed when there are more; false when
// some of them are compacted.
func (db *DB) Since(resource string, revision uint64) ([]Change, <-chan struct{}, bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if revision < db.compacted {
		return nil, nil, false
	}
	changes := db.tableLocked(resource).changes
	first, _ := slices.BinarySearchFunc(changes, revision+1, func(c Change, r uint64) int { return cmp.Compare(c.Revision, r) })
	return changes[first:len(changes):len(changes)], db.changed, true
}

// Add adds an object that a DB begins with.
func (db *DB) Add(resource, key string, object runtime.Object) { db.put(resource, key, nil, object) }

// put writes an object in the place of the one that was read before, nil for none. It returns the object as it is kept;
// false when another writer came first. The object belongs to the DB afterwards.
func (db *DB) put(resource, key string, before, after runtime.Object) (runtime.Object, bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	t := db.tableLocked(resource)
	if t.objects[key] != before {
		return nil, false
	}
	db.revision++
	stamp(after, db.revision)
	after.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // the table says it
	t.objects[key] = after
	db.noteLocked(t, Change{Revision: db.revision, Key: key, Before: before, After: after})
	return after, true
}

// remove deletes the object that was read before, and returns the revision of that; false when another writer came first.
func (db *DB) remove(resource, key string, before runtime.Object) (uint64, bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	t := db.tableLocked(resource)
	if t.objects[key] != before {
		return 0, false
	}
	db.revision++
	delete(t.objects, key)
	db.noteLocked(t, Change{Revision: db.revision, Key: key, Before: before})
	return db.revision, true
}

func (db *DB) noteLocked(t *table, c Change) {
	c.Time = time.Now()
	t.changes = append(t.changes, c)
	close(db.changed)
	db.changed = make(chan struct{})
}

// stamp sets the resource version of an object.
func stamp(object runtime.Object, revision uint64) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic("an object without metadata was stored: " + err.Error()) // no kind of Kubernetes is without
	}
	accessor.SetResourceVersion(strconv.FormatUint(revision, 10))
}
