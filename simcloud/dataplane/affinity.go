package dataplane

import (
	"net/netip"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// affinity remembers which target a client has had.
type affinity struct {
	timeout time.Duration // 0 means that nothing is remembered
	clients map[netip.Addr]visit
}

type visit struct {
	target *backend
	at     time.Time
}

// set makes the affinity what is asked for. A new timeout holds for those that
// are remembered, too.
func (a *affinity) set(spec simcloud.Affinity) {
	a.timeout = 0
	if spec.ClientIP {
		a.timeout = DefaultAffinityTimeout
		if spec.TimeoutSeconds > 0 {
			a.timeout = seconds(spec.TimeoutSeconds)
		}
	}
	if a.timeout == 0 || a.clients == nil {
		a.clients = map[netip.Addr]visit{}
	}
}

// last returns the target that a client has had, nil when there is none.
func (a *affinity) last(client netip.Addr, now time.Time) *backend {
	v, found := a.clients[client]
	if !found || now.Sub(v.at) >= a.timeout {
		return nil
	}
	return v.target
}

func (a *affinity) remember(client netip.Addr, t *backend, now time.Time) {
	if a.timeout > 0 {
		a.clients[client] = visit{t, now}
	}
}

// sweep forgets clients whose time has passed.
func (a *affinity) sweep(now time.Time) {
	for client, v := range a.clients {
		if now.Sub(v.at) >= a.timeout {
			delete(a.clients, client)
		}
	}
}
