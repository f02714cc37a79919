// Package dataplane makes the load balancers of a cloud real: they listen on
// their VIPs and forward TCP and UDP to the addresses of their targets.
//
// A [Balancer] is told what to forward by [Balancer.Apply], and knows nothing
// of clouds. It never touches an address: what the machine cannot listen on is
// said in its status.
package dataplane

import (
	"cmp"
	"context"
	"crypto/x509"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// BalancerConfig is what a balancer is made of. The zero value will do.
type BalancerConfig struct {
	// Clock measures checks, affinity, idleness and draining; nil means the machine's.
	Clock Clock
	// DrainTimeout is how long connections to a target that has gone may live
	// on, DialTimeout how long a target may take to accept one. 0 means the default.
	DrainTimeout, DialTimeout time.Duration
	// TargetNetworks are where targets may be; nil means Loopback. Nothing is
	// ever sent to an address that is in none of them.
	TargetNetworks []netip.Prefix
	// MaxConnections is how many connections and clients of UDP there may be
	// at once, over all listeners; 0 means any number.
	MaxConnections int
	// RootCAs are those of the certificates that health checks verify; nil means the machine's.
	RootCAs *x509.CertPool
	// Log gets what listeners and targets do; nil discards it.
	Log *slog.Logger
}

func (c BalancerConfig) withDefaults() BalancerConfig {
	c.DrainTimeout = cmp.Or(c.DrainTimeout, DefaultDrainTimeout)
	c.DialTimeout = cmp.Or(c.DialTimeout, DefaultDialTimeout)
	if c.TargetNetworks == nil {
		c.TargetNetworks = Loopback()
	}
	if c.Clock == nil {
		c.Clock = machineClock{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Balancer forwards connections as the last state says that was applied. Its
// methods may be called at the same time. It is a prometheus.Collector.
type Balancer struct {
	config  BalancerConfig
	changed chan struct{}
	ctx     context.Context // ends with Close
	end     context.CancelFunc
	running sync.WaitGroup
	checks  *checker
	open    atomic.Int64 // connections and clients of UDP

	descriptions descriptions

	mu        sync.Mutex
	closed    bool
	pools     map[poolID]*pool
	listeners map[place]*frontend
}

// NewBalancer starts a balancer that forwards nothing yet. The caller closes it.
func NewBalancer(cfg BalancerConfig) *Balancer {
	b := &Balancer{
		config: cfg.withDefaults(), changed: make(chan struct{}, 1), descriptions: describe(),
		pools: map[poolID]*pool{}, listeners: map[place]*frontend{},
	}
	b.ctx, b.end = context.WithCancel(context.Background())
	b.checks = newChecker(b.ctx, &b.running, b.config.RootCAs)
	b.running.Go(b.sweep)
	return b
}

// HealthChanged has a value when Health may have changed since one was last
// taken out. It is for one reader.
func (b *Balancer) HealthChanged() <-chan struct{} { return b.changed }

func (b *Balancer) noteChange() {
	select {
	case b.changed <- struct{}{}:
	default: // the reader has not looked since the last one
	}
}

// admit counts a connection, until leave; false when there are too many.
func (b *Balancer) admit() bool {
	if n := b.open.Add(1); b.config.MaxConnections > 0 && n > int64(b.config.MaxConnections) {
		b.open.Add(-1)
		return false
	}
	return true
}

func (b *Balancer) leave() { b.open.Add(-1) }

// Close stops listening, ends all connections and returns when nothing runs any more.
func (b *Balancer) Close() {
	b.mu.Lock()
	b.applyLocked(nil)
	b.closed = true
	b.mu.Unlock()
	b.end()
	b.running.Wait()
}

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
