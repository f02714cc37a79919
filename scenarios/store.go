package scenarios

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// store holds the latest snapshot and tells subscribers of each one after it.
// Streams feed it: of the cloud, of its calls, of the cluster.
type store struct {
	mu      sync.Mutex
	start   time.Time
	current *Snapshot
	subs    map[*subscription]struct{}
	// revision is that of the last change of the cloud that is in the snapshot, seq that of the last call.
	revision uint64
	seq      uint64
	// armed are the fault rules of the scenario that the cloud has, by name.
	armed     map[string]simcloud.ID
	observers []observer
	// harness reports whether a call is the harness's own; nil when none is.
	harness func(simcloud.JournalEntry) bool
	deeds   deeds
	// hiding is the label of what the scenario is not to see; "" for none.
	hiding string
	// hidden are the addresses of the control plane's instances, by their ids.
	hidden map[string][]any
}

func newStore(namespace string, observers ...observer) *store {
	return &store{
		start:     time.Now(),
		current:   newSnapshot(namespace),
		subs:      map[*subscription]struct{}{},
		armed:     map[string]simcloud.ID{},
		hidden:    map[string][]any{},
		observers: observers,
		deeds:     deeds{pending: map[string]map[string]deed{}},
	}
}

// since is a time in seconds since the scenario began.
func (s *store) since(t time.Time) float64 { return tenthMilli(max(0, t.Sub(s.start).Seconds())) }

// snapshot returns the latest one, with the time as it is now.
func (s *store) snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cloneLocked()
}

func (s *store) cloneLocked() *Snapshot {
	c := s.current.clone()
	c.elapsed = time.Since(s.start)
	return c
}

// view shows the latest snapshot, and keeps all changes back until look returns. Look must not call the store.
func (s *store) view(look func(now *Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look(s.cloneLocked())
}

// change makes the next snapshot and tells the subscribers that read the source.
func (s *store) change(from source, apply func(next *Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changeLocked(from, apply)
}

func (s *store) changeLocked(from source, apply func(next *Snapshot)) {
	next := s.cloneLocked()
	apply(next)
	s.current = next
	for sub := range s.subs {
		if sub.reads == nil || sub.reads[from] {
			sub.push(next)
		}
	}
}

// capture gives a value a name.
func (s *store) capture(name string, value any) {
	s.change(fromRun, func(next *Snapshot) { next.captured[name] = value })
}

// setCCM tells how the CCM is. It makes no snapshot when nothing changed.
func (s *store) setCCM(now map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !reflect.DeepEqual(s.current.ccm, now) {
		s.changeLocked(fromRun, func(next *Snapshot) { next.ccm = now })
		s.tellLocked(func(w witness) { w.ccmSeen(now) })
	}
}

// crossing reports whether somebody waits who compares the cluster with the cloud.
func (s *store) crossing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.subs {
		if sub.reads == nil || sub.reads[fromCluster] && (sub.reads[fromCloud] || sub.reads[fromJournal]) {
			return true
		}
	}
	return false
}

// subscription is a queue of snapshots.
type subscription struct {
	store *store
	reads map[source]bool // nil: all
	mu    sync.Mutex
	queue []*Snapshot
	wake  chan struct{} // has room for one
}

// subscribe returns the latest snapshot and a queue that gets all that come after it.
func (s *store) subscribe(reads map[source]bool) (*Snapshot, *subscription) {
	sub := &subscription{store: s, reads: reads, wake: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[sub] = struct{}{}
	return s.cloneLocked(), sub
}

func (q *subscription) push(s *Snapshot) {
	q.mu.Lock()
	q.queue = append(q.queue, s)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take returns what has come since the last take.
func (q *subscription) take() []*Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.queue
	q.queue = nil
	return taken
}

func (q *subscription) close() {
	q.store.mu.Lock()
	defer q.store.mu.Unlock()
	delete(q.store.subs, q)
}

// withItem returns items with the one of the same key replaced or added.
func withItem(items []any, key string, item any, keyOf func(any) string) []any {
	at := slices.IndexFunc(items, func(i any) bool { return keyOf(i) == key })
	if at < 0 {
		return append(slices.Clip(items), item)
	}
	next := slices.Clone(items)
	next[at] = item
	return next
}

// withoutItem returns items without the one that has the key.
func withoutItem(items []any, key string, keyOf func(any) string) []any {
	next := slices.Clone(items)
	return slices.DeleteFunc(next, func(i any) bool { return keyOf(i) == key })
}
