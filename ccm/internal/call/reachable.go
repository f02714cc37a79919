package call

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Health knows since when the cloud has not answered. It learns it from the
// calls that are made anyway, so that an idle process asks nothing more. The
// zero health is that of a cloud that always answers.
type Health struct {
	grace time.Duration
	now   func() time.Time
	tell  func(reachable bool)
	// Failed holds something once the cloud is to be looked after.
	Failed chan struct{}

	mu    sync.Mutex
	since time.Time // zero while the cloud answers
	cause error
}

// NewHealth takes the cloud for reachable, and tells of each change from then on.
func NewHealth(grace time.Duration, now func() time.Time, tell func(reachable bool)) *Health {
	tell(true)
	return &Health{grace: grace, now: now, tell: tell, Failed: make(chan struct{}, 1)}
}

// Around learns from one call.
func (h *Health) Around(call func() error) error {
	err := call()
	if !errors.Is(err, context.Canceled) {
		h.learn(err)
	}
	return err
}

func (h *Health) learn(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !Unreachable(err):
		h.since, h.cause = time.Time{}, nil
		h.tell(true)
	case h.since.IsZero():
		h.since, h.cause = h.now(), err
		h.tell(false)
		h.LookAfter()
	default:
		h.cause = err
	}
}

// LookAfter has the cloud asked again, soon.
func (h *Health) LookAfter() {
	select {
	case h.Failed <- struct{}{}:
	default:
	}
}

// Answers reports whether the cloud answered the last call.
func (h *Health) Answers() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since.IsZero()
}

// Check is an error once the cloud has not answered for the grace.
func (h *Health) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		return nil
	}
	if silent := h.now().Sub(h.since); silent >= h.grace {
		return fmt.Errorf("the cloud has not answered for %s: %w", silent.Round(time.Second), h.cause)
	}
	return nil
}
