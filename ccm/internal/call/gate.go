package call

import (
	"context"
	"strings"
	"sync"
)

// Gate lets calls of the cloud through until the process is to end. The zero gate is open.
type Gate struct {
	mu     sync.Mutex
	closed bool
	under  int           // calls under way that change something
	idle   chan struct{} // closed when the gate is and none is under way
	ended  chan struct{} // closed by End
}

// Around lets a call through. One that comes to a closed gate and would change
// something does not return before End: any answer, an error above all, would have the
// controllers act on it in the last moments of the process.
func (g *Gate) Around(operation string, call func() error) error {
	if reads(operation) {
		return call()
	}
	if !g.enter() {
		<-g.end()
		return context.Canceled
	}
	defer g.leave()
	return call()
}

func reads(operation string) bool {
	return strings.HasPrefix(operation, "List") || strings.HasPrefix(operation, "Get")
}

func (g *Gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.under++
	}
	return !g.closed
}

func (g *Gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.under--
	if g.closed && g.under == 0 {
		close(g.idle)
	}
}

// close shuts the gate, for good, and returns what is closed when no call is under way.
func (g *Gate) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.closed, g.idle = true, make(chan struct{})
		if g.under == 0 {
			close(g.idle)
		}
	}
	return g.idle
}

// end is the channel that End closes.
func (g *Gate) end() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended == nil {
		g.ended = make(chan struct{})
	}
	return g.ended
}

// End lets calls that wait at the closed gate return, with context.Canceled. It is called once.
func (g *Gate) End() { close(g.end()) }

// Finish closes the gate, and returns when the calls under way have ended, or with the context's error.
func (g *Gate) Finish(ctx context.Context) error {
	select {
	case <-g.close():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
