package scenarios

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Pool keeps clusters from one run to the next: its Open is for a [Runner], and
// where that stops a cluster, it goes back to the pool.
type Pool struct {
	// Start starts a cluster when there is none.
	Start func(ctx context.Context, slot int) (Cluster, error)

	mu   sync.Mutex
	idle map[int]*pooled // by their slots
}

// pooled is a cluster that goes back to its pool where others stop.
type pooled struct {
	Cluster
	pool *Pool
	slot int
	// spoilt is whether it could not be reset, so that it must go.
	spoilt bool
}

// Open takes the cluster of the slot and empties it, or starts one.
func (p *Pool) Open(ctx context.Context, slot int) (Cluster, error) {
	if c := p.take(slot); c != nil {
		if c.Reset(ctx) == nil {
			return c, nil
		}
		if err := c.stopInTime(ctx); err != nil {
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
	delete(p.idle, slot)
	return c
}

func (p *Pool) give(c *pooled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle == nil {
		p.idle = map[int]*pooled{}
	}
	p.idle[c.slot] = c
}

// Discard stops the cluster of the slot if it is in the pool: the next one there is new.
func (p *Pool) Discard(ctx context.Context, slot int) error {
	c := p.take(slot)
	if c == nil {
		return nil
	}
	return c.Cluster.Stop(ctx)
}

// Close stops all clusters that are in the pool.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	var stopping errgroup.Group
	for _, c := range idle {
		stopping.Go(func() error { return c.Cluster.Stop(ctx) })
	}
	return stopping.Wait()
}

// closeInTime is Close after a run, also when ctx is done.
func (p *Pool) closeInTime(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return p.Close(ctx)
}

// Reset empties the cluster, and remembers when that is not possible.
func (c *pooled) Reset(ctx context.Context) error {
	err := c.Cluster.Reset(ctx)
	c.spoilt = err != nil
	return err
}

// stopInTime is Stop, also when ctx is done: it may be what a reset has failed for.
func (c *pooled) stopInTime(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return c.Stop(ctx)
}

// Stop gives the cluster back to the pool, if it can be used again.
func (c *pooled) Stop(ctx context.Context) error {
	if c.spoilt {
		return c.Cluster.Stop(ctx)
	}
	c.pool.give(c)
	return nil
}
