package dataplane

import "time"

const (
	// sweepInterval is how exact idleness and draining are.
	sweepInterval = 250 * time.Millisecond
	// retryInterval is how soon a listener that cannot listen tries again.
	retryInterval = time.Second
)

// sweep ends what has had its time, until the balancer is closed.
func (b *Balancer) sweep() {
	for {
		next, stop := b.config.Clock.NewTimer(sweepInterval)
		select {
		case now := <-next:
			b.sweepOnce(now)
		case <-b.ctx.Done():
			stop()
			return
		}
	}
}

func (b *Balancer) sweepOnce(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	overdue := make(map[*pool]map[*backend]bool, len(b.pools))
	for _, p := range b.pools {
		overdue[p] = p.sweep(now)
	}
	for _, l := range b.listeners {
		switch {
		case l.socket != nil:
			l.socket.sweep(now, overdue[l.pool])
		case now.Sub(l.failed) >= retryInterval:
			l.open()
		}
	}
}

// watched finds out whether something moves, by what it has moved so far.
type watched struct {
	moved int64
	since time.Time
}

// idle is how long nothing has moved.
func (w *watched) idle(moved int64, now time.Time) time.Duration {
	if moved != w.moved || w.since.IsZero() {
		w.moved, w.since = moved, now
	}
	return now.Sub(w.since)
}
