package dataplane

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

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

// question is what a health check asks, with its defaults. Listeners whose questions are equal ask once.
type question struct {
	protocol          simcloud.HealthCheckProtocol
	port              int
	path, domain      string
	codes             string // the patterns of good status codes, separated by commas; empty: 2?? and 3??
	response          string
	verify            bool
	interval, timeout time.Duration
	threshold         int
}

// asks is what a health check asks; see simcloud.HealthCheck. Nil asks nothing.
func asks(spec *simcloud.HealthCheck) *question {
	if spec == nil {
		return nil
	}
	return &question{
		protocol: spec.Protocol, port: spec.Port, path: spec.Path, domain: spec.Domain,
		codes: strings.Join(spec.StatusCodes, ","), response: spec.Response, verify: spec.VerifyCertificate,
		interval: seconds(cmp.Or(spec.IntervalSeconds, 5)), timeout: seconds(cmp.Or(spec.TimeoutSeconds, 3)),
		threshold: cmp.Or(spec.Threshold, 3),
	}
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
func (p *pool) ask(ctx context.Context, t *backend, c *check, spec question, addr netip.Addr) {
	for {
		next, stop := p.config.Clock.NewTimer(spec.interval)
		err := p.admitsCheck(t, spec.port)
		if err == nil {
			err = p.checks.probe(ctx, spec, addr)
		}
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

// admitsCheck reports why the security groups of a target do not let a check in. They are asked each
// time: a check goes on while groups change.
func (p *pool) admitsCheck(t *backend, port int) error {
	p.mu.Lock()
	ingress := t.Ingress
	p.mu.Unlock()
	if ingress.lets(passage{check: true, protocol: simcloud.ProtocolTCP, port: port}) {
		return nil
	}
	return fmt.Errorf("no rule of %s lets health checks in on tcp port %d", ingress, port)
}

// answered takes the answer of a target.
func (p *pool) answered(t *backend, c *check, spec question, err error) {
	p.mu.Lock()
	changed := t.checks[spec] == c && c.answer(err, spec.threshold)
	instance, healthy := t.Instance, c.healthy
	if changed { // before a reader can see it
		p.epoch.Add(1)
		p.changed()
	}
	p.mu.Unlock()
	if changed {
		p.config.Log.Info("health of a target", "loadBalancer", p.loadBalancer, "targetGroup", p.group, "instance", instance,
			"check", spec.protocol, "port", spec.port, "healthy", healthy, "err", err)
	}
}
