package embedded

import (
	"fmt"
	"slices"
	"time"
)

// Timing says when a part of the control plane was ready, counted from the start of all.
type Timing struct {
	What  string
	After time.Duration
}

// Timings returns how the start divided, in order.
func (b *Backend) Timings() []Timing {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.timing)
}

// mark is called with the lock held.
func (b *Backend) mark(what string, after time.Duration) {
	b.timing = append(b.timing, Timing{What: what, After: after})
	b.progress(fmt.Sprintf("%s ready after %.1f s", what, after.Seconds()))
}
