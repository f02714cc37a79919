package core

import (
	"cmp"
	"sort"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// How much of the past a cloud remembers: as far back as a read can be behind,
// by the cloud's clock, and so many bytes unless it is configured.
const (
	rememberedTime  = 10 * time.Minute
	rememberedBytes = 64 << 20
)

// history is what changes have replaced. A place that has changed since a
// moment held what the first change after that moment replaced; one that has
// not holds it still. It is in memory: the past begins with what the cloud
// holds when it is opened, and again when it is reset.
//
// It learns of a change before a reader can see it. So a reader that has begun to read
// the store finds here all changes that it sees there, and passes over those that came later.
type history struct {
	limit int // of bytes; 0 means rememberedBytes

	mu      sync.RWMutex
	changes []store.Change // in the order of their times
	bytes   int
	last    int       // how many the last Record has left
	now     time.Time // of the last change
	begin   time.Time // of the last change that is forgotten: nothing before it is known
}

// Record implements store.Recorder.
func (h *history) Record(changes []store.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, change := range changes {
		h.now = later(h.now, change.Time)
		change.Time = h.now // it does not fall, whatever the machine's clock does
		h.changes = append(h.changes, change)
		h.bytes += sizeOf(change)
	}
	h.trim(h.now.Add(-rememberedTime))
	h.last = min(len(changes), len(h.changes))
}

// Forget implements store.Recorder.
func (h *history) Forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := len(h.changes) - h.last
	for _, change := range h.changes[kept:] {
		h.bytes -= sizeOf(change)
	}
	clear(h.changes[kept:])
	h.changes, h.last = h.changes[:kept], 0
}

// Renew implements store.Recorder.
func (h *history) Renew() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changes, h.bytes, h.last, h.now, h.begin = nil, 0, 0, time.Time{}, time.Time{}
}

// redact forgets what a project had that is gone, as if it had never been: a
// later project of its name must not read it.
func (h *history) redact(project simcloud.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.changes {
		if change := &h.changes[i]; change.Project == project {
			h.bytes -= len(change.Before)
			change.Before = nil
		}
	}
}

// trim forgets what is older than a time, and the oldest that does not fit.
func (h *history) trim(oldest time.Time) {
	n, limit := 0, cmp.Or(h.limit, rememberedBytes)
	for ; n < len(h.changes) && (h.changes[n].Time.Before(oldest) || h.bytes > limit); n++ {
		h.bytes -= sizeOf(h.changes[n])
		h.begin = h.changes[n].Time
	}
	clear(h.changes[:n])
	h.changes = h.changes[n:]
}

// sizeOf is about what a change takes in memory.
func sizeOf(change store.Change) int { return 96 + len(change.Before) }

// size is about how much memory the history takes, in bytes.
func (h *history) size() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.bytes
}

// past returns what a kind held at a moment, as far as it has changed since
// then up to a commit; the oldest that is known when the moment is before it.
func (h *history) past(kind simcloud.Kind, moment time.Time, commit uint64) store.Past {
	h.mu.RLock()
	defer h.mu.RUnlock()
	seen := h.changes[:sort.Search(len(h.changes), func(i int) bool { return h.changes[i].Commit > commit })]
	since := seen[sort.Search(len(seen), func(i int) bool {
		at := seen[i].Time
		return at.After(moment) && at.After(h.begin)
	}):]
	if len(since) == 0 {
		return store.Past{}
	}
	past := store.Past{Changed: true, Revision: since[0].Revision, Before: map[uint64][]byte{}}
	for _, change := range since {
		if _, known := past.Before[change.Sequence]; change.Kind == kind && !known {
			past.Before[change.Sequence] = change.Before
		}
	}
	return past
}
