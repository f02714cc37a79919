package journal

import (
	"slices"
	"time"
)

// Continue returns a journal that goes on where this one ended: with its
// entries, and with the numbers after them. It dates new entries by now. This
// one is not to be used any more.
func (j *Journal) Continue(now func() time.Time) *Journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	return &Journal{
		now: now, limit: j.limit, ring: slices.Clone(j.ring), last: j.last, cleared: j.cleared, pending: map[*Call]struct{}{},
	}
}
