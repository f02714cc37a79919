package dataplane

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// backend is a target: a machine behind a load balancer. All of it is guarded by its pool.
type backend struct {
	key targetKey // never changes
	Target
	checks map[question]*check
	// refusal is why the target has no address that may be sent to.
	refusal string
	active  int64 // connections through all listeners
	// drained is when the connections that are left end; zero while they may live on.
	drained time.Time
	gone    bool // it is no target any more
}

// targetKey is what makes a target one of its pool.
type targetKey struct {
	instance simcloud.ID
	port     int // 0: that of each listener
}

// portFor is where the target takes connections of a listener with a target port.
func (t *backend) portFor(listener int) int { return cmp.Or(t.key.port, listener) }

// own is a question as it is for this target: at its own port, unless the question has one.
func (t *backend) own(q question) question {
	q.port = cmp.Or(q.port, t.key.port)
	return q
}

// health is the target's for the listeners that have a check, or none.
// known is false while the check has had no answer.
func (t *backend) health(with *question) (health simcloud.TargetHealth, known bool) {
	switch {
	case t.Health != "" && t.Health != simcloud.TargetHealthy:
		return t.Health, true
	case len(t.Addresses) == 0:
		return simcloud.TargetUnhealthy, true
	case with == nil:
		return simcloud.TargetHealthy, true
	}
	c, asked := t.checks[t.own(*with)]
	if asked && c.healthy {
		return simcloud.TargetHealthy, true
	}
	return simcloud.TargetUnhealthy, asked && c.known
}

// overall is the worst of what the target's checks say.
func (t *backend) overall() (simcloud.TargetHealth, bool) {
	worst, known := t.health(nil)
	if worst != simcloud.TargetHealthy {
		return worst, known
	}
	for spec := range t.checks {
		health, said := t.health(&spec)
		if health == simcloud.TargetHealthy {
			continue
		}
		if said {
			return health, true
		}
		worst, known = health, false
	}
	return worst, known
}

// takes reports whether the target gets new connections through listeners with the check.
func (t *backend) takes(with *question) bool {
	if t.gone {
		return false
	}
	health, _ := t.health(with)
	return health == simcloud.TargetHealthy
}

// address is where connections to an address of a family go.
func (t *backend) address(of netip.Addr) netip.Addr {
	for _, addr := range t.Addresses {
		if addr.Is4() == of.Is4() {
			return addr
		}
	}
	return t.Addresses[0]
}

// checked is the address that is asked for its health.
func (t *backend) checked() netip.Addr {
	if len(t.Addresses) == 0 {
		return netip.Addr{}
	}
	return t.Addresses[0]
}

func (t *backend) weight() int { return max(1, t.Weight) }
