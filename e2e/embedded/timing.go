package embedded

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
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

// nominalStart is how long etcd and the API server take to be ready on two cores that carry another
// cluster too, which the default bounds leave room for. Two idle cores need 2.5 s.
const nominalStart = 3500 * time.Millisecond

// calibrate measures the machine by the start of etcd and the API server, and
// makes the grace of silent nodes fit it, unless Config says what that is to be.
func (p *plane) calibrate(took time.Duration) {
	p.factor = e2e.FactorOf(took, nominalStart)
	if p.grace == 0 {
		p.grace = time.Duration(p.factor * float64(defaultNodeGrace))
	}
}

// Factor says how many times slower this machine was when the control plane
// started than two cores that carry one other cluster, from 1. It is 1 before the start.
func (b *Backend) Factor() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.plane == nil {
		return 1
	}
	return b.plane.factor
}
