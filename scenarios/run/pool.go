package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simcloud-dev/simcloud/e2e/slots"
)

// Pool keeps clusters from one run to the next: its Open is for a [Runner], and
// where that stops a cluster, it goes back to the pool. A cluster that nothing has used
// for a while is stopped when someone waits for a place on the machine, who may be of the same process.
type Pool struct {
	// Start starts a cluster when there is none.
	Start func(ctx context.Context, slot int) (Cluster, error)
	// Wanted reports whether someone waits for a place; nil asks for the slots of this machine.
	Wanted func() bool

	mu       sync.Mutex
	idle     map[int]*pooled // by their slots
	left     error           // of clusters that did not stop when someone waited for their place
	yielding sync.WaitGroup
}

// idleTime is how long a cluster may do nothing while someone waits for its place, and how often that is looked at. It
// is much longer than from one scenario to the next, and shorter than a cluster takes to start.
const idleTime = 2 * time.Second

// pooled is a cluster that goes back to its pool where others stop.
type pooled struct {
	Cluster
	pool *Pool
	slot int
	// spoilt is whether it could not be reset, so that it must go.
	spoilt bool
	taken  chan struct{} // closed when it is not idle any more
}

// Open takes the cluster of the slot and empties it, or starts one.
func (p *Pool) Open(ctx context.Context, slot int) (Cluster, error) {
	if c := p.take(slot); c != nil {
		if c.Reset(ctx) == nil {
			return c, nil
		}
		if err := inTime(ctx, c.Stop); err != nil {
			return nil, err
		}
	}
	c, err := p.Start(ctx, slot)
	if err != nil {
		return nil, err
	}
	return &pooled{Cluster: c, pool: p, slot: slot}, nil
}

func (p *Pool) take(slot int) *pooled {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.idle[slot]
	if c != nil {
		p.removeLocked(c)
	}
	return c
}

func (p *Pool) give(c *pooled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle == nil {
		p.idle = map[int]*pooled{}
	}
	taken := make(chan struct{})
	c.taken = taken
	p.idle[c.slot] = c
	p.yielding.Go(func() { p.yield(c, taken) })
}

// yield stops a cluster that is idle when someone waits for its place, until it is taken.
func (p *Pool) yield(c *pooled, taken <-chan struct{}) {
	wanted := p.Wanted
	if wanted == nil {
		wanted = slots.Wanted
	}
	tick := time.NewTicker(idleTime)
	defer tick.Stop()
	for {
		select {
		case <-taken:
			return
		case <-tick.C:
		}
		if wanted() && p.takeThis(c) {
			ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
			defer cancel()
			if err := c.Cluster.Stop(ctx); err != nil {
				p.leave(err)
			}
			return
		}
	}
}

// leave keeps an error for Close, since no one hears of it before.
func (p *Pool) leave(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = errors.Join(p.left, err)
}

// takeThis takes a cluster out of the pool, if it is there.
func (p *Pool) takeThis(c *pooled) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle[c.slot] != c {
		return false
	}
	p.removeLocked(c)
	return true
}

func (p *Pool) removeLocked(c *pooled) {
	delete(p.idle, c.slot)
	close(c.taken)
}

// Discard stops the cluster of the slot if it is in the pool: the next one there is new.
func (p *Pool) Discard(ctx context.Context, slot int) error {
	c := p.take(slot)
	if c == nil {
		return nil
	}
	return c.Cluster.Stop(ctx)
}

// Close stops all clusters that are in the pool. It fails when one of them does not stop, or one that stopped before because
// someone waited for its place did not.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	var idle []*pooled
	for _, c := range p.idle {
		idle = append(idle, c)
		p.removeLocked(c)
	}
	p.mu.Unlock()
	var stopping errgroup.Group
	for _, c := range idle {
		stopping.Go(func() error { return c.Cluster.Stop(ctx) })
	}
	err := stopping.Wait()
	p.yielding.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	err, p.left = errors.Join(p.left, err), nil
	return err
}

// CloseInTime is Close after a run, also when ctx is done.
func (p *Pool) CloseInTime(ctx context.Context) error {
	return inTime(ctx, p.Close)
}

// Reset empties the cluster, and remembers when that is not possible.
func (c *pooled) Reset(ctx context.Context) error {
	err := c.Cluster.Reset(ctx)
	c.spoilt = err != nil
	return err
}

// Stop gives the cluster back to the pool, if it can be used again.
func (c *pooled) Stop(ctx context.Context) error {
	if c.spoilt {
		return c.Cluster.Stop(ctx)
	}
	c.pool.give(c)
	return nil
}

// inTime ends something in the time that it may take, also when ctx is done: it may be what it ends for.
func inTime(ctx context.Context, end func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return end(ctx)
}
