package dataplane_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// fakeClock moves when it is told to.
type fakeClock struct {
	t      *testing.T
	mu     sync.Mutex
	now    time.Time
	timers []*fakeTimer
	arming chan struct{} // has a value when a timer was armed
}

type fakeTimer struct {
	at    time.Time
	fired chan time.Time
}

func newFakeClock(t *testing.T) *fakeClock {
	return &fakeClock{t: t, arming: make(chan struct{}, 1), now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) NewTimer(d time.Duration) (<-chan time.Time, func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := &fakeTimer{c.now.Add(d), make(chan time.Time, 1)}
	c.timers = append(c.timers, timer)
	select {
	case c.arming <- struct{}{}:
	default:
	}
	return timer.fired, func() bool { return c.stop(timer) }
}

func (c *fakeClock) stop(timer *fakeTimer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.timers, timer)
	if i >= 0 {
		c.timers = slices.Delete(c.timers, i, i+1)
	}
	return i >= 0
}

func (c *fakeClock) armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// advance moves the clock from timer to timer, and lets those that wait for
// one act before it moves on: each arms its next timer when it has.
func (c *fakeClock) advance(d time.Duration) {
	c.t.Helper()
	c.await(1)
	end := c.Now().Add(d)
	for c.step(end) {
	}
}

// move moves the clock and fires nothing yet.
func (c *fakeClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// jump moves the clock at once without waiting, as checks come and go meanwhile.
func (c *fakeClock) jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.timers = slices.DeleteFunc(c.timers, func(t *fakeTimer) bool {
		due := !t.at.After(c.now)
		if due {
			t.fired <- c.now
		}
		return due
	})
}

// step fires the next timer up to the end, and reports whether there was one.
func (c *fakeClock) step(end time.Time) bool {
	c.t.Helper()
	c.mu.Lock()
	before := len(c.timers)
	next := slices.MinFunc(c.timers, func(a, b *fakeTimer) int { return a.at.Compare(b.at) })
	if next.at.After(end) {
		c.now = end
		c.mu.Unlock()
		return false
	}
	c.now = next.at
	c.timers = slices.DeleteFunc(c.timers, func(t *fakeTimer) bool { return t == next })
	next.fired <- c.now
	c.mu.Unlock()
	c.await(before)
	return true
}

// await waits until so many timers are armed.
func (c *fakeClock) await(n int) {
	c.t.Helper()
	ctx, cancel := waittest.Context(c.t)
	defer cancel()
	for c.armed() < n {
		select {
		case <-c.arming:
		case <-ctx.Done():
			c.t.Fatalf("%d timers are armed, want %d: %v", c.armed(), n, ctx.Err())
		}
	}
}
