package journal

import "time"

// Continue returns a journal that goes on where this one ended: with its
// entries, and with the numbers after them. It dates new entries by now. This
// one is not to be used any more.
func (j *Journal) Continue(now func() time.Time) *Journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	return &Journal{
		now: now, callers: j.callers.clone(), strangers: j.strangers.clone(), last: j.last, cleared: j.cleared, pending: map[*Call]struct{}{},
	}
}
