package dataplane

import (
	"cmp"
	"context"
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// check is what is known of a target by asking it. Guarded by its pool.
type check struct {
	healthy bool
	known   bool
	// first: the next answer decides alone, as none of its own has come yet.
	first  bool
	streak int // answers in a row that say otherwise
	reason string
	stop   context.CancelFunc
}

// withDefaults fills what a health check leaves open; see simcloud.HealthCheck.
func withDefaults(spec *simcloud.HealthCheck) *simcloud.HealthCheck {
	if spec == nil {
		return nil
	}
	full := *spec
	full.IntervalSeconds = cmp.Or(full.IntervalSeconds, 5)
	full.TimeoutSeconds = cmp.Or(full.TimeoutSeconds, 3)
	full.Threshold = cmp.Or(full.Threshold, 3)
	return &full
}

// answer takes an answer, nil for a good one, and reports whether it has changed what is known.
func (c *check) answer(err error, threshold int) bool {
	good := err == nil
	if !good {
		c.reason = err.Error()
	}
	if c.first {
		changed := !c.known || c.healthy != good
		c.first, c.known, c.healthy = false, true, good
		return changed
	}
	if good == c.healthy {
		c.streak = 0
		return false
	}
	if c.streak++; c.streak < threshold {
		return false
	}
	c.streak, c.healthy = 0, good
	return true
}

// ask asks a target again and again until the context ends.
func (p *pool) ask(ctx context.Context, t *backend, c *check, spec simcloud.HealthCheck, addr netip.Addr) {
	for {
		next, stop := p.config.Clock.NewTimer(seconds(spec.IntervalSeconds))
		err := p.checks.probe(ctx, spec, addr)
		if ctx.Err() != nil {
			stop()
			return
		}
		p.answered(t, c, spec, err)
		select {
		case <-next:
		case <-ctx.Done():
			stop()
			return
		}
	}
}

// answered takes the answer of a target.
func (p *pool) answered(t *backend, c *check, spec simcloud.HealthCheck, err error) {
	p.mu.Lock()
	changed := t.checks[spec] == c && c.answer(err, spec.Threshold)
	instance, healthy := t.Instance, c.healthy
	if changed { // before a reader can see it
		p.epoch.Add(1)
		p.changed()
	}
	p.mu.Unlock()
	if changed {
		p.config.Log.Info("health of a target", "loadBalancer", p.id, "instance", instance,
			"check", spec.Protocol, "port", spec.Port, "healthy", healthy, "err", err)
	}
}
