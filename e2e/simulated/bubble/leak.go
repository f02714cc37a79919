package bubble

import (
	"fmt"
	"sync"
)

// LeakError is goroutines that wait for what never comes.
type LeakError struct {
	Reason     string // in the words of synctest
	Goroutines []Goroutine
}

// Error names the goroutines.
func (e *LeakError) Error() string {
	return fmt.Sprintf("%s: %d goroutines are left:\n%s", e.Reason, len(e.Goroutines), stacksOf(e.Goroutines))
}

// running are the bubbles whose function runs, by number.
var running sync.Map // *bubble

// GiveUp tells the bubble of the caller that so many of its goroutines may be left at its end. They are those of a simulated
// process which rely on the end of the process: nothing else can end them. Outside of a bubble it does nothing.
func GiveUp(goroutines int) {
	if b, found := running.Load(ownBubble()); found {
		b.(*bubble).givenUp.Add(int64(goroutines))
	}
}

// leak returns a [*LeakError] when more goroutines are left than were given up.
func (b *bubble) leak(reason string) error {
	left := goroutinesOf(b.id.Load())
	if len(left) <= int(b.givenUp.Load()) {
		return nil
	}
	return &LeakError{Reason: reason, Goroutines: left}
}
