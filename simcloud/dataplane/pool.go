package dataplane

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// pool is the targets of a load balancer or of a group, and chooses among them.
type pool struct {
	poolID
	config  BalancerConfig
	checks  *checker
	changed func() // called when the health of a target may have changed; does not block

	// epoch rises whenever a target may have begun or ceased to get connections.
	epoch atomic.Uint64

	mu        sync.Mutex
	algorithm simcloud.Algorithm
	affinity  affinity
	targets   []*backend
	leaving   map[targetKey]*backend    // no targets any more, with connections left
	asked     map[simcloud.ID]*question // what each listener asks targets, with defaults; nil: nothing
	eligible  []*backend                // scratch space of pick
}

// pick chooses a target for a client of a listener on a VIP, and counts a
// connection of it, until release. It returns the address to connect to, or nil and
// the reason when no target gets connections, or the one that was chosen does not let this one in.
func (p *pool) pick(listener simcloud.ID, vip netip.Addr, through passage, turns *turns) (*backend, netip.Addr, Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	with := p.asked[listener]
	now := p.config.Clock.Now()
	t := p.affinity.last(through.client, now)
	if t == nil || !t.takes(with) {
		if t = p.chooseLocked(with, turns); t == nil {
			return nil, netip.Addr{}, RefusedNoTarget
		}
	}
	p.affinity.remember(through.client, t, now)
	if through.port = t.portFor(through.port); !t.Ingress.lets(through) {
		return nil, netip.Addr{}, RefusedGroup
	}
	t.active++
	return t, t.address(vip), ""
}

func (p *pool) chooseLocked(with *question, turns *turns) *backend {
	p.eligible = p.eligible[:0]
	for _, t := range p.targets {
		if t.takes(with) {
			p.eligible = append(p.eligible, t)
		}
	}
	if len(p.eligible) == 0 {
		return nil
	}
	return choose(p.algorithm, p.eligible, turns)
}

// release gives back what pick has counted.
func (p *pool) release(t *backend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.active--
}

// keeps reports whether what was picked would still do: the target gets
// connections of the listener, at the address that it had, and lets this client in.
func (p *pool) keeps(t *backend, listener simcloud.ID, vip, at netip.Addr, through passage) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	through.port = t.portFor(through.port)
	return t.takes(p.asked[listener]) && t.address(vip) == at && t.Ingress.lets(through)
}

// sweep forgets clients and targets whose time has passed, and returns the
// targets whose connections have to end.
func (p *pool) sweep(now time.Time) map[*backend]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.affinity.sweep(now)
	var overdue map[*backend]bool
	note := func(t *backend) {
		if !t.drained.IsZero() && !now.Before(t.drained) && t.active > 0 {
			if overdue == nil {
				overdue = map[*backend]bool{}
			}
			overdue[t] = true
		}
	}
	for _, t := range p.targets {
		note(t)
	}
	for id, t := range p.leaving {
		note(t)
		if t.active == 0 {
			delete(p.leaving, id)
		}
	}
	return overdue
}
