package dataplane

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// update makes the pool what is asked for. Who stays keeps its connections,
// its health, unless its machine was seen off, and its turns.
func (p *pool) update(want LoadBalancer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.algorithm = want.Algorithm
	p.affinity.set(want.Affinity)
	before := make(map[targetKey]*backend, len(p.targets))
	for _, t := range p.targets {
		before[t.key] = t
	}
	asked := checksOf(want)
	targets := make([]*backend, len(want.Targets))
	for i, spec := range want.Targets {
		key := targetKey{spec.Instance, spec.Port}
		t, stays := before[key]
		if !stays {
			t = p.comeLocked(key)
		}
		delete(before, key)
		p.changeLocked(t, spec, stays, asked)
		targets[i] = t
	}
	for _, t := range before {
		p.leaveLocked(t)
	}
	p.targets, p.asked = targets, asked
	p.epoch.Add(1)
	p.changed()
}

// checksOf is what each listener asks targets.
func checksOf(want LoadBalancer) map[simcloud.ID]*question {
	asked := make(map[simcloud.ID]*question, len(want.Listeners))
	for _, l := range want.Listeners {
		asked[simcloud.ListenerID(l.Protocol, l.Port)] = asks(l.HealthCheck)
	}
	return asked
}

// comeLocked returns a new target, or the one that is on its way out.
func (p *pool) comeLocked(key targetKey) *backend {
	t, leaving := p.leaving[key]
	if !leaving {
		return &backend{key: key, Target: Target{Instance: key.instance}, checks: map[question]*check{}}
	}
	delete(p.leaving, key)
	t.gone = false
	return t
}

// changeLocked makes a target what is asked for.
func (p *pool) changeLocked(t *backend, want Target, stays bool, asked map[simcloud.ID]*question) {
	if t.Health == simcloud.TargetUnhealthy && want.Health != simcloud.TargetUnhealthy {
		t.distrust()
	}
	was := t.checked()
	t.Target = want
	may := reach(p.config.TargetNetworks)
	t.Addresses, t.refusal = may.within(want.Addresses), may.refusal(want.Addresses)
	switch {
	case want.Health != simcloud.TargetDraining:
		t.drained = time.Time{}
	case t.drained.IsZero():
		t.drained = p.config.Clock.Now().Add(p.config.DrainTimeout)
	}
	if was != t.checked() {
		t.stopChecks()
	}
	p.checkLocked(t, stays, asked)
}

// checkLocked runs the checks that are asked for, and no other.
func (p *pool) checkLocked(t *backend, stays bool, asked map[simcloud.ID]*question) {
	wanted := map[question]bool{}
	fresh := map[question]*check{}
	for listener, spec := range asked {
		if spec == nil || !t.checked().IsValid() {
			continue
		}
		own := t.own(*spec)
		wanted[own] = true
		if t.checks[own] == nil {
			fresh[own] = better(fresh[own], p.inheritLocked(t, listener, stays))
		}
	}
	for spec, c := range fresh {
		p.startLocked(t, c, spec)
	}
	for spec := range t.checks {
		if !wanted[spec] {
			t.stopCheck(spec)
		}
	}
}

// inheritLocked returns a check that goes on from what its listener's one
// before knew of the target, so that another check cuts no target off. That of
// a target that comes goes on from what was found elsewhere.
func (p *pool) inheritLocked(t *backend, listener simcloud.ID, stays bool) *check {
	c := &check{first: true}
	if !stays {
		c.healthy, c.known = t.Found == simcloud.TargetHealthy, t.Found != ""
		return c
	}
	before, there := p.asked[listener]
	if !there || t.gone {
		return c
	}
	if before == nil {
		c.healthy, c.known = true, true
	} else if last := t.checks[t.own(*before)]; last != nil {
		c.healthy, c.known, c.reason = last.healthy, last.known, last.reason
	}
	return c
}

// better returns the check that knows better things, a when they are alike or b alone when there is no a.
func better(a, b *check) *check {
	if a == nil || b.healthy || b.known && !a.known {
		return b
	}
	return a
}

func (p *pool) startLocked(t *backend, c *check, spec question) {
	ctx, stop := context.WithCancel(p.checks.ctx)
	c.stop = stop
	t.checks[spec] = c
	addr := t.checked()
	p.checks.running.Go(func() { p.ask(ctx, t, c, spec, addr) })
}

// leaveLocked gives the connections of a target that has gone their time.
func (p *pool) leaveLocked(t *backend) {
	t.stopChecks()
	t.gone = true
	if t.drained.IsZero() {
		t.drained = p.config.Clock.Now().Add(p.config.DrainTimeout)
	}
	if t.active > 0 {
		p.leaving[t.key] = t
	}
}

// distrust forgets that a machine that was off answered well before that: it
// has to boot, and a check that asks rarely may not even have seen that it was off.
func (t *backend) distrust() {
	for spec, c := range t.checks {
		if c.healthy {
			t.stopCheck(spec)
		}
	}
}

func (t *backend) stopChecks() {
	for spec := range t.checks {
		t.stopCheck(spec)
	}
}

func (t *backend) stopCheck(spec question) {
	t.checks[spec].stop()
	delete(t.checks, spec)
}

// close stops all checks. The pool gives out no target any more.
func (p *pool) close() {
	p.update(LoadBalancer{ID: p.loadBalancer})
}
