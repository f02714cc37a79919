package dataplane

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// place is where a load balancer listens.
type place struct {
	loadBalancer simcloud.ID
	address      netip.Addr
	id           simcloud.ID       // of the listener in its load balancer
	protocol     simcloud.Protocol // a transport of the listener's
	port         int
}

// Apply makes the load balancers those that are given, and returns when they
// listen or cannot; Status tells why. What is as it was is not disturbed. A
// listener, VIP or load balancer that goes takes its connections with it at once.
// A closed balancer ignores it.
func (b *Balancer) Apply(desired []LoadBalancer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.applyLocked(desired)
	}
}

func (b *Balancer) applyLocked(desired []LoadBalancer) {
	wanted := map[place]Listener{}
	keep := map[simcloud.ID]bool{}
	for _, lb := range desired {
		keep[lb.ID] = true
		for _, vip := range lb.VIPs {
			for _, l := range lb.Listeners {
				for _, transport := range l.Protocol.Transports() {
					wanted[place{lb.ID, vip.Unmap(), simcloud.ListenerID(l.Protocol, l.Port), transport, l.Port}] = l
				}
			}
		}
	}
	// What goes makes room for what comes.
	for at, l := range b.listeners {
		if _, stays := wanted[at]; !stays {
			l.close()
			delete(b.listeners, at)
		}
	}
	b.updatePoolsLocked(desired, keep)
	for at, spec := range wanted {
		b.listenLocked(at, spec)
	}
}

// updatePoolsLocked gives each load balancer its targets, before its listeners need them.
func (b *Balancer) updatePoolsLocked(desired []LoadBalancer, keep map[simcloud.ID]bool) {
	for id, p := range b.pools {
		if !keep[id] {
			p.close()
			delete(b.pools, id)
		}
	}
	for _, lb := range desired {
		p, there := b.pools[lb.ID]
		if !there {
			p = &pool{
				id: lb.ID, config: b.config, checks: b.checks, changed: b.noteChange,
				leaving: map[simcloud.ID]*backend{},
			}
			b.pools[lb.ID] = p
		}
		p.update(lb)
	}
}

func (b *Balancer) listenLocked(at place, spec Listener) {
	l, there := b.listeners[at]
	if !there {
		l = newFrontend(b, b.pools[at.loadBalancer], at)
		b.listeners[at] = l
	}
	l.settings.Store(newSettings(spec, at.protocol))
	if !there {
		l.open()
	}
}
