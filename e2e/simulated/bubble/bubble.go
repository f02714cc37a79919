// Package bubble runs functions in simulated time: in testing/synctest bubbles that any program can open, whose failures are
// errors, and from which a watchdog returns when time stands still.
package bubble

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Run calls f in a bubble of simulated time, and returns its error when all goroutines that it has started have ended. The context
// of f is done when ctx is. Several bubbles can run at the same time.
//
// The error is a [*StuckError] when time stands still, and a [*LeakError] when a goroutine waits for ever: such a bubble is left as
// it is, and the caller goes on. A panic of f is an error too; one of another goroutine ends the program.
//
// The test, unless it is nil, is the one that the bubble is a part of: it fails when the race detector finds a race. Without a
// test such a race ends the program.
func Run(ctx context.Context, t *testing.T, f func(ctx context.Context) error) error {
	if t == nil {
		t = new(testing.T)
	}
	b := &bubble{ended: make(chan error, 1)}
	go b.run(ctx, t, f)
	return b.watch()
}

// bubble is one Run.
type bubble struct {
	id      atomic.Int64 // as stacks name it; 0 before it is known
	ticks   atomic.Int64 // the seconds of simulated time so far
	givenUp atomic.Int64 // goroutines that no one waits for
	ended   chan error
}

func (b *bubble) run(ctx context.Context, t *testing.T, f func(ctx context.Context) error) {
	var err error
	defer func() {
		if p := recover(); p != nil { // synctest panics so when goroutines are left
			err = errors.Join(err, b.leak(fmt.Sprint(p)))
		}
		b.ended <- err
	}()
	// Nothing of the test inside is used: a failure is an error of f.
	synctest.Test(t, func(*testing.T) { err = b.inside(ctx, f) })
}

// inside is what runs in the bubble.
func (b *bubble) inside(ctx context.Context, f func(ctx context.Context) error) (err error) {
	b.id.Store(ownBubble())
	running.Store(b.id.Load(), b)
	defer running.Delete(b.id.Load())
	within, cancel := context.WithCancelCause(context.Background())
	done := make(chan struct{})
	go b.tick(ctx, done, cancel)
	defer close(done)
	defer cancel(nil)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(within)
}

// second is how often the watchdog is told that time goes on, and how soon the end of the context outside is noticed.
const second = time.Second

// tick counts the seconds of simulated time, and hands on the end of a context that is not of the bubble, whose Done would
// keep time from going on.
func (b *bubble) tick(outside context.Context, done <-chan struct{}, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.ticks.Add(1)
			if outside.Err() != nil {
				cancel(context.Cause(outside))
			}
		case <-done:
			return
		}
	}
}

// stacks returns those of all goroutines of the program.
func stacks() []byte {
	buffer := make([]byte, 1<<20)
	for {
		if n := runtime.Stack(buffer, true); n < len(buffer) {
			return buffer[:n]
		}
		buffer = make([]byte, 2*len(buffer))
	}
}
