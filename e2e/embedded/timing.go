package embedded

import (
	"fmt"
	"slices"
	"sync"
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

// stopwatch notes and tells when parts are ready.
type stopwatch struct {
	began    time.Time
	progress func(string)

	mu      sync.Mutex
	timings []Timing
}

func newStopwatch(began time.Time, progress func(string)) *stopwatch {
	return &stopwatch{began: began, progress: progress}
}

func (s *stopwatch) done(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	after := time.Since(s.began)
	s.timings = append(s.timings, Timing{What: what, After: after})
	s.progress(fmt.Sprintf("%s ready after %.1f s", what, after.Seconds()))
}
