package dataplane

import (
	"maps"
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// place is where a load balancer listens.
type place struct {
	loadBalancer simcloud.ID
	address      netip.Addr
	group        simcloud.ID
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
	for _, lb := range desired {
		for _, vip := range lb.VIPs {
			for _, l := range lb.Listeners {
				for _, transport := range l.Protocol.Transports() {
					wanted[place{lb.ID, vip.Unmap(), l.Group, simcloud.ListenerID(l.Protocol, l.Port), transport, l.Port}] = l
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
	b.updatePoolsLocked(desired)
	for at, spec := range wanted {
		b.listenLocked(at, spec)
	}
}

// poolID is whose targets a pool has.
type poolID struct {
	loadBalancer simcloud.ID
	group        simcloud.ID // empty: those of the load balancer
}

// poolsOf is what each pool of a load balancer is to do: that of its own targets,
// and those of its groups, each for the listeners that forward to it.
func poolsOf(lb LoadBalancer) map[poolID]LoadBalancer {
	part := func(group simcloud.ID, targets []Target) LoadBalancer {
		of := lb
		of.Targets, of.Groups, of.Listeners = targets, nil, nil
		for _, l := range lb.Listeners {
			if l.Group == group {
				of.Listeners = append(of.Listeners, l)
			}
		}
		return of
	}
	all := map[poolID]LoadBalancer{{lb.ID, ""}: part("", lb.Targets)}
	for _, group := range lb.Groups {
		all[poolID{lb.ID, group.ID}] = part(group.ID, group.Targets)
	}
	return all
}

// updatePoolsLocked gives each load balancer its targets, before its listeners need them.
func (b *Balancer) updatePoolsLocked(desired []LoadBalancer) {
	wanted := map[poolID]LoadBalancer{}
	for _, lb := range desired {
		maps.Copy(wanted, poolsOf(lb))
	}
	for id, p := range b.pools {
		if _, stays := wanted[id]; !stays {
			p.close()
			delete(b.pools, id)
		}
	}
	for id, want := range wanted {
		p, there := b.pools[id]
		if !there {
			p = &pool{
				poolID: id, config: b.config, checks: b.checks, changed: b.noteChange,
				leaving: map[targetKey]*backend{},
			}
			b.pools[id] = p
		}
		p.update(want)
	}
}

func (b *Balancer) listenLocked(at place, spec Listener) {
	l, there := b.listeners[at]
	if !there {
		l = newFrontend(b, b.pools[poolID{at.loadBalancer, at.group}], at)
		b.listeners[at] = l
	}
	l.settings.Store(newSettings(spec, at.protocol))
	if !there {
		l.open()
	}
}
