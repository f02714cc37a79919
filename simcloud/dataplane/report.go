package dataplane

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Status tells of all listeners, in the order of load balancers, addresses,
// protocols and ports.
func (b *Balancer) Status() []ListenerStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]ListenerStatus, 0, len(b.listeners))
	for _, l := range b.listeners {
		all = append(all, l.status())
	}
	slices.SortFunc(all, func(x, y ListenerStatus) int {
		return cmp.Or(strings.Compare(string(x.LoadBalancer), string(y.LoadBalancer)), x.Address.Compare(y.Address),
			strings.Compare(string(x.Protocol), string(y.Protocol)), cmp.Compare(x.Port, y.Port))
	})
	return all
}

// status is guarded by the balancer.
func (l *frontend) status() ListenerStatus {
	s := ListenerStatus{
		LoadBalancer: l.loadBalancer, Listener: l.id, Address: l.address, Protocol: l.protocol, Port: l.port, Error: l.err,
		Accepted: l.counts.accepted.Load(), Refused: l.counts.refused(),
		Targets: l.pool.status(l.id),
	}
	if l.socket != nil {
		s.Connections, s.Received, s.Sent = l.socket.live()
	}
	return s
}

func (c *counts) refused() map[Refusal]int64 {
	return map[Refusal]int64{
		RefusedSource: c.source.Load(), RefusedNoTarget: c.noTarget.Load(),
		RefusedDial: c.dialed.Load(), RefusedLimit: c.limit.Load(), RefusedGroup: c.group.Load(),
	}
}

// status tells of the targets, as a listener sees them.
func (p *pool) status(listener simcloud.ID) []TargetStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	with := p.asked[listener]
	all := make([]TargetStatus, len(p.targets))
	for i, t := range p.targets {
		health, known := t.health(with)
		all[i] = TargetStatus{Instance: t.Instance, Port: t.key.port, Health: health, Checked: known, Connections: t.active}
		if health == simcloud.TargetUnhealthy {
			all[i].Reason = t.reason(with)
		}
	}
	return all
}

// reason is why a target is unhealthy for listeners with the check, as far as that is not its instance's state.
func (t *backend) reason(with *question) string {
	if t.Health != "" && t.Health != simcloud.TargetHealthy {
		return ""
	}
	if t.refusal != "" || with == nil {
		return t.refusal
	}
	if c := t.checks[t.own(*with)]; c != nil {
		return c.reason
	}
	return ""
}

// Health tells of all targets, in the order of load balancers, groups, instances and ports.
func (b *Balancer) Health() []Health {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := []Health{}
	for _, p := range b.pools {
		all = append(all, p.health()...)
	}
	slices.SortFunc(all, func(x, y Health) int {
		return cmp.Or(strings.Compare(string(x.LoadBalancer), string(y.LoadBalancer)), strings.Compare(string(x.Group), string(y.Group)),
			strings.Compare(string(x.Instance), string(y.Instance)), cmp.Compare(x.Port, y.Port))
	})
	return all
}

func (p *pool) health() []Health {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Health, len(p.targets))
	for i, t := range p.targets {
		health, known := t.overall()
		all[i] = Health{LoadBalancer: p.loadBalancer, Group: p.group, Instance: t.Instance, Port: t.key.port, Health: health, Known: known, Outside: t.refusal != ""}
	}
	return all
}
