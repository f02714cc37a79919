package ccm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// health knows since when the cloud has not answered. It learns it from the
// calls that are made anyway, so that an idle process asks nothing more. The
// zero health is that of a cloud that always answers.
type health struct {
	grace time.Duration
	now   func() time.Time
	tell  func(reachable bool)
	// failed holds something once the cloud is to be looked after.
	failed chan struct{}

	mu    sync.Mutex
	since time.Time // zero while the cloud answers
	cause error
}

func newHealth(grace time.Duration, now func() time.Time, tell func(reachable bool)) *health {
	tell(true)
	return &health{grace: grace, now: now, tell: tell, failed: make(chan struct{}, 1)}
}

// around learns from one call.
func (h *health) around(call func() error) error {
	err := call()
	if !errors.Is(err, context.Canceled) {
		h.learn(err)
	}
	return err
}

func (h *health) learn(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !unreachable(err):
		h.since, h.cause = time.Time{}, nil
		h.tell(true)
	case h.since.IsZero():
		h.since, h.cause = h.now(), err
		h.tell(false)
		h.lookAfter()
	default:
		h.cause = err
	}
}

// lookAfter has the cloud asked again, soon.
func (h *health) lookAfter() {
	select {
	case h.failed <- struct{}{}:
	default:
	}
}

// answers reports whether the cloud answered the last call.
func (h *health) answers() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since.IsZero()
}

// Reachable returns an error once the cloud has not answered for the
// healthGracePeriod of the config. No answer is also one that is not in the
// cloud's own words, or that refuses the token.
func (c *Cloud) Reachable() error { return c.health.check() }

func (h *health) check() error {
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

// recheckPeriod is how often a cloud that does not answer is asked, so that
// nobody has to wait for the next call of a controller to learn that it is back.
const recheckPeriod = 5 * time.Second

// watchHealth looks after the cloud each time that it ceases to answer, until it is back.
func (c *Cloud) watchHealth(stop <-chan struct{}) {
	ctx := wait.ContextForChannel(stop)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.health.failed:
			_ = wait.PollUntilContextCancel(ctx, recheckPeriod, false, c.recheck)
		}
	}
}

// recheck reports whether the cloud answers, and has said at least once whether
// the config fits it. Without a call of a controller that tells, it asks.
func (c *Cloud) recheck(ctx context.Context) (bool, error) {
	if c.checked.Load() && c.health.answers() {
		return true, nil
	}
	err := check(ctx, c.api, c.config)
	var mistake *ConfigError
	switch {
	case unreachable(err):
		klog.ErrorS(err, "The cloud still does not answer")
		return false, nil
	case errors.As(err, &mistake):
		klog.ErrorS(err, "The cloud answers again, and the cloud config does not fit it")
	case err != nil:
		klog.ErrorS(err, "The cloud answers, but not whether the cloud config fits it")
		return c.checked.Load(), nil
	default:
		klog.InfoS("The cloud answers again", "endpoint", c.config.Endpoint)
	}
	c.checked.Store(true)
	return true, nil
}
