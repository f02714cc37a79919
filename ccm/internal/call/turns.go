package call

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Turns lets one call at a time work on what a Service has in the cloud. The
// controller follows Services and Nodes in goroutines that know nothing of each other.
type Turns struct {
	mu   sync.Mutex
	busy map[types.UID]chan struct{} // closed at the end of the turn
	// missed are Services whose targets could not be changed, perhaps because there was no load balancer.
	missed map[types.UID]bool
}

// Take waits until no other call works on the Service, and returns what ends the turn.
func (t *Turns) Take(ctx context.Context, uid types.UID) (end func(), err error) {
	for {
		ended, mine := t.Begin(uid)
		if mine {
			return func() { t.End(uid) }, nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for what is under way for Service %s: %w", uid, context.Cause(ctx))
		}
	}
}

// Begin takes the turn if it is free, and else returns what is closed at the end of the one under way.
func (t *Turns) Begin(uid types.UID) (ended chan struct{}, mine bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ended, taken := t.busy[uid]; taken {
		return ended, false
	}
	if t.busy == nil {
		t.busy = map[types.UID]chan struct{}{}
	}
	t.busy[uid] = make(chan struct{})
	return nil, true
}

// End ends a turn that begin or take has given.
func (t *Turns) End(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.busy[uid])
	delete(t.busy, uid)
}

// Miss remembers that a change of the Service's Nodes did not reach its load
// balancer. The controller asks at once whether there is one, and drops the
// change when there is not; but an Ensure may be about to make it, with the
// Nodes of before. So the answer has to be that there is one: then the
// controller ensures it again, with the Nodes of now.
func (t *Turns) Miss(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed == nil {
		t.missed = map[types.UID]bool{}
	}
	t.missed[uid] = true
}

// HasMissed reports, once, that a change of the Service's targets was missed.
func (t *Turns) HasMissed(uid types.UID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	missed := t.missed[uid]
	delete(t.missed, uid)
	return missed
}
