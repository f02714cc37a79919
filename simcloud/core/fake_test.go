package core_test

import (
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// fakeClock is a machine's clock that the test moves.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*fakeTimer]bool
}

type fakeTimer struct {
	at    time.Time
	fired chan time.Time
}

func newFakeClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), timers: map[*fakeTimer]bool{}}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) NewTimer(d time.Duration) (<-chan time.Time, func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := &fakeTimer{at: c.now.Add(d), fired: make(chan time.Time, 1)}
	c.timers[timer] = true
	c.fire()
	return timer.fired, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, timer)
		return true
	}
}

func (c *fakeClock) fire() {
	for timer := range c.timers {
		if !timer.at.After(c.now) {
			timer.fired <- c.now
			delete(c.timers, timer)
		}
	}
}

// move sets the clock forward (or back) and fires what is due.
func (c *fakeClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.fire()
}

// creep moves the clock without firing: the worker is late.
func (c *fakeClock) creep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// must returns v, or ends the test.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// wantCode fails the test unless err has the code.
func wantCode(t testing.TB, what string, err error, code simcloud.Code) {
	t.Helper()
	if got := simcloud.CodeOf(err); got != code {
		t.Errorf("%s: got %v, want code %q", what, err, code)
	}
}

type instanceResult = simcloud.Result[simcloud.Instance]
