package ccm

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// turns lets one call at a time work on what a Service has in the cloud. The
// controller follows Services and Nodes in goroutines that know nothing of each other.
type turns struct {
	mu   sync.Mutex
	busy map[types.UID]chan struct{} // closed at the end of the turn
	// missed are Services whose targets could not be changed, perhaps because there was no load balancer.
	missed map[types.UID]bool
}

// take waits until nobody else works on the Service, and returns what ends the turn.
func (t *turns) take(ctx context.Context, uid types.UID) (end func(), err error) {
	for {
		ended, mine := t.begin(uid)
		if mine {
			return func() { t.end(uid) }, nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for what is under way for Service %s: %w", uid, context.Cause(ctx))
		}
	}
}

// begin takes the turn if it is free, and else returns what is closed at the end of the one under way.
func (t *turns) begin(uid types.UID) (ended chan struct{}, mine bool) {
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

// end ends a turn that begin or take has given.
func (t *turns) end(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.busy[uid])
	delete(t.busy, uid)
}

// miss remembers that a change of the Service's Nodes did not reach its load
// balancer. The controller asks at once whether there is one, and drops the
// change when there is not; but an Ensure may be about to make it, with the
// Nodes of before. So the answer has to be that there is one: then the
// controller ensures it again, with the Nodes of now.
func (t *turns) miss(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed == nil {
		t.missed = map[types.UID]bool{}
	}
	t.missed[uid] = true
}

// hasMissed reports, once, that a change of the Service's targets was missed.
func (t *turns) hasMissed(uid types.UID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	missed := t.missed[uid]
	delete(t.missed, uid)
	return missed
}
