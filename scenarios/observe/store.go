package observe

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// Store holds the latest snapshot and tells subscribers of each one after it.
// Streams feed it: of the cloud, of its calls, of the cluster.
type Store struct {
	mu      sync.Mutex
	Start   time.Time
	Current *Snapshot
	subs    map[*Subscription]struct{}
	// revision is that of the last change of the cloud that is in the snapshot, seq that of the last call.
	revision uint64
	Seq      uint64
	// armed are the fault rules of the scenario that the cloud has, by name.
	armed     map[string]simcloud.ID
	observers []Observer
	// Harness reports whether a call is the harness's own; nil when none is.
	Harness func(simcloud.JournalEntry) bool
	changes changes
	// Hiding is the label of what the scenario is not to see; "" for none.
	Hiding string
	// balancers are the load balancers as the cloud has them, without what their target groups have.
	balancers []any
	// hidden are the addresses of the control plane's instances, by their ids.
	hidden map[string][]any
}

// NewStore makes a store for a scenario that has the namespace for itself. The observers hear of all changes.
func NewStore(namespace string, observers ...Observer) *Store {
	return &Store{
		Start:     time.Now(),
		Current:   NewSnapshot(namespace),
		subs:      map[*Subscription]struct{}{},
		armed:     map[string]simcloud.ID{},
		hidden:    map[string][]any{},
		observers: observers,
		changes:   changes{pending: map[string]map[string]Change{}},
	}
}

// Since is a time in seconds since the scenario began.
func (s *Store) Since(t time.Time) float64 { return words.TenthMilli(max(0, t.Sub(s.Start).Seconds())) }

// Snapshot returns the latest one, with the time as it is now.
func (s *Store) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cloneLocked()
}

func (s *Store) cloneLocked() *Snapshot {
	c := s.Current.clone()
	c.Elapsed = time.Since(s.Start)
	return c
}

// View shows the latest snapshot, and keeps all changes back until look returns. Look must not call the store.
func (s *Store) View(look func(now *Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look(s.cloneLocked())
}

// Change makes the next snapshot and tells the subscribers that read the source.
func (s *Store) Change(from Source, apply func(next *Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changeLocked(from, apply)
}

func (s *Store) changeLocked(from Source, apply func(next *Snapshot)) {
	next := s.cloneLocked()
	apply(next)
	s.Current = next
	for sub := range s.subs {
		if sub.reads == nil || sub.reads[from] {
			sub.push(next)
		}
	}
}

// Capture gives a value a name.
func (s *Store) Capture(name string, value any) {
	s.Change(FromRun, func(next *Snapshot) { next.Captured[name] = value })
}

// SetCCM tells how the CCM is. It makes no snapshot when nothing changed.
func (s *Store) SetCCM(now map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !reflect.DeepEqual(s.Current.CCM, now) {
		s.changeLocked(FromRun, func(next *Snapshot) { next.CCM = now })
		s.tellLocked(func(w CallObserver) { w.CCMSeen(now) })
	}
}

// crossing reports whether a waiting expectation compares the cluster with the cloud.
func (s *Store) crossing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.subs {
		if sub.reads == nil || sub.reads[FromCluster] && (sub.reads[FromCloud] || sub.reads[FromJournal]) {
			return true
		}
	}
	return false
}

// Subscription is a queue of snapshots.
type Subscription struct {
	store *Store
	reads map[Source]bool // nil: all
	mu    sync.Mutex
	queue []*Snapshot
	Wake  chan struct{} // has room for one
}

// Subscribe returns the latest snapshot and a queue that gets all that come after it.
func (s *Store) Subscribe(reads map[Source]bool) (*Snapshot, *Subscription) {
	sub := &Subscription{store: s, reads: reads, Wake: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[sub] = struct{}{}
	return s.cloneLocked(), sub
}

func (q *Subscription) push(s *Snapshot) {
	q.mu.Lock()
	q.queue = append(q.queue, s)
	q.mu.Unlock()
	select {
	case q.Wake <- struct{}{}:
	default:
	}
}

// Take returns what has come since the last take.
func (q *Subscription) Take() []*Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.queue
	q.queue = nil
	return taken
}

// Cancel ends the subscription.
func (q *Subscription) Cancel() {
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

// ArmedFaults are the ids of the rules that the cloud has, by their names.
func (s *Store) ArmedFaults() map[string]simcloud.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.armed)
}

// SetFaults changes which rules the cloud has, if change is set, and takes in what it says of them.
func (s *Store) SetFaults(change func(armed map[string]simcloud.ID), rules ...fault.Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if change != nil {
		change(s.armed)
	}
	now := maps.Clone(s.Current.Faults)
	for _, r := range rules {
		if s.armed[r.Name] == r.ID {
			now[r.Name] = map[string]any{"calls": int64(r.Calls), "hits": int64(r.Hits)}
		}
	}
	s.changeLocked(FromFaults, func(next *Snapshot) { next.Faults = now })
	s.tellLocked(func(w CallObserver) { w.FaultsSeen(s.armed, rules) })
}
