package bubble

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// patience is how long simulated time may stand still, in real time, before the goroutines are looked at, and longer each time
// that some of them work, since a look stops the whole program; looks is how often they must look the same.
const (
	patience = 2 * time.Second
	again    = 300 * time.Millisecond
	looks    = 3
)

// StuckError says that simulated time stands still, because a goroutine waits for something that only a goroutine outside of
// simulated time could end, or for a lock that is held over a wait.
type StuckError struct {
	// Waiting are the goroutines that keep time from going on; Holding are those that may hold what they wait for.
	Waiting, Holding []Goroutine
}

// Error says what the code cannot do in simulated time, and shows the stacks.
func (e *StuckError) Error() string {
	text := "simulated time stands still: " + e.why() + "\n\nIt waits:\n" + e.Waiting[0].Stack
	if len(e.Holding) > 0 {
		text += "\n\nIt may hold the lock, and waits for time to pass:\n" + e.Holding[0].Stack
	}
	return text
}

func (e *StuckError) why() string {
	switch state := e.Waiting[0].State; {
	case strings.HasPrefix(state, "sync.") || strings.HasPrefix(state, "semacquire"):
		return "this code holds a lock while it waits, for an answer of the cloud for instance: run it on real time"
	case state == "IO wait":
		return "this code uses a socket or a pipe of the system, and not the transport that it was handed: run it on real time"
	default:
		return fmt.Sprintf("this code waits (%s) for something that was made outside of simulated time: run it on real time", state)
	}
}

// watch returns when the bubble has ended, or is stuck.
func (b *bubble) watch() error {
	watch := watchdog{bubble: b, since: time.Now(), patience: patience}
	tick := time.NewTicker(again)
	defer tick.Stop()
	for {
		select {
		case err := <-b.ended:
			return err
		case <-tick.C:
			if stuck := watch.look(); stuck != nil {
				return stuck
			}
		}
	}
}

// watchdog finds out whether a bubble is stuck.
type watchdog struct {
	*bubble
	last     int64 // tick
	since    time.Time
	patience time.Duration
	seen     string // the stacks that keep time from going on
	times    int
}

// look returns an error when time stands still for long, and the same goroutines wait at each look.
func (w *watchdog) look() error {
	if now := w.ticks.Load(); now != w.last || time.Since(w.since) < w.patience {
		if now != w.last {
			w.last, w.since, w.patience, w.times = now, time.Now(), patience, 0
		}
		return nil
	}
	all := goroutinesOf(w.id.Load())
	var waiting []Goroutine
	for _, g := range all {
		if g.runs() {
			w.patience, w.times = 2*w.patience, 0
			return nil
		}
		if !g.Durable && g.State != "synctest.Run" {
			waiting = append(waiting, g)
		}
	}
	if seen := stacksOf(waiting); len(waiting) == 0 || seen != w.seen {
		w.seen, w.times = seen, 0
		return nil
	}
	if w.times++; w.times < looks {
		return nil
	}
	return &StuckError{Waiting: waiting, Holding: holders(waiting[0], all)}
}

// holders are the goroutines that wait for time, and are in a package that the one that waits for the lock is in.
func holders(waiting Goroutine, all []Goroutine) []Goroutine {
	names := waiting.functions()
	first := slices.IndexFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, "sync.") && !strings.HasPrefix(name, "internal/") && !strings.HasPrefix(name, "runtime.")
	})
	if first < 0 {
		return nil
	}
	own := packageOf(names[first])
	var found []Goroutine
	for _, g := range all {
		if g.Durable && slices.ContainsFunc(g.functions(), func(name string) bool { return packageOf(name) == own }) {
			found = append(found, g)
		}
	}
	return found
}
