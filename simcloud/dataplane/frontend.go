package dataplane

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// frontend is a listener: a port of a load balancer on one of its VIPs.
type frontend struct {
	place
	balancer *Balancer
	pool     *pool
	settings atomic.Pointer[settings]
	counts   counts
	turns    turns // guarded by pool

	ctx context.Context // ends with close
	end context.CancelFunc

	// Guarded by the balancer.
	socket socket // nil while it does not listen
	err    error  // why not
	failed time.Time
}

// socket is what listens: a TCP or a UDP one.
type socket interface {
	// close stops listening and ends all connections.
	close()
	// sweep ends connections that are idle or whose target is overdue.
	sweep(now time.Time, overdue map[*backend]bool)
	// live is the number of connections and the bytes that they have moved.
	live() (connections, received, sent int64)
}

// counts are what a listener has done, without the bytes of connections that are open.
type counts struct {
	accepted, received, sent        atomic.Int64
	source, noTarget, dialed, limit atomic.Int64
	group                           atomic.Int64
}

func newFrontend(b *Balancer, p *pool, at place) *frontend {
	l := &frontend{place: at, balancer: b, pool: p}
	l.ctx, l.end = context.WithCancel(b.ctx)
	return l
}

// open begins to listen, or notes why that cannot be.
func (l *frontend) open() {
	log := l.balancer.config.Log.With("loadBalancer", l.loadBalancer, "address", l.address, "protocol", l.protocol, "port", l.port)
	before := l.err
	if l.socket, l.err = l.listen(); l.err == nil {
		log.Info("listening")
		return
	}
	l.failed = l.balancer.config.Clock.Now()
	if before == nil || before.Error() != l.err.Error() {
		log.Warn("not listening", "err", l.err)
	}
}

func (l *frontend) listen() (socket, error) {
	if l.address.IsUnspecified() || l.address.IsMulticast() {
		return nil, simcloud.Errorf(simcloud.Invalid, l.resource(), "cannot listen on %s: must be an address of a host", l.address)
	}
	var s socket
	var err error
	switch l.protocol {
	case simcloud.ProtocolTCP:
		s, err = listenTCP(l)
	case simcloud.ProtocolUDP:
		s, err = listenUDP(l)
	default:
		return nil, simcloud.Errorf(simcloud.Unimplemented, l.resource(), "the data plane does not forward %s", l.protocol)
	}
	if err != nil {
		return nil, simcloud.Errorf(simcloud.Unavailable, l.resource(), "cannot listen on %s %s%s: %w", l.protocol, l.at(), advice(err), err)
	}
	return s, nil
}

func (l *frontend) resource() string { return simcloud.Ref(simcloud.KindLoadBalancer, l.loadBalancer) }

func (l *frontend) at() netip.AddrPort { return netip.AddrPortFrom(l.address, uint16(l.port)) }

// advice says what would help a listener that cannot listen.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return ": this machine does not have the address; Linux listens on any of 127.0.0.0/8, another one has to be the machine's own"
	case errors.Is(err, syscall.EADDRINUSE):
		return ": another process or load balancer listens there"
	case errors.Is(err, syscall.EACCES):
		return ": ports below net.ipv4.ip_unprivileged_port_start need root or CAP_NET_BIND_SERVICE"
	default:
		return ""
	}
}

func (l *frontend) close() {
	l.end()
	if l.socket != nil {
		l.socket.close()
	}
}

// acceptPause is how long nothing is accepted when the machine has no file
// descriptor for it, or nothing else will do.
const acceptPause = 50 * time.Millisecond

// pause reports an error that no caller gets, and gives it time to pass.
func (l *frontend) pause(err error) {
	l.balancer.config.Log.Warn("cannot accept", "loadBalancer", l.loadBalancer, "at", l.at(), "protocol", l.protocol, "err", err)
	next, stop := l.balancer.config.Clock.NewTimer(acceptPause)
	defer stop()
	select {
	case <-next:
	case <-l.ctx.Done():
	}
}

// pick chooses a target for a client, and the address to connect to, or tells why there is none.
func (l *frontend) pick(now *settings, client netip.Addr) (*backend, netip.AddrPort, Refusal) {
	t, addr, refusal := l.pool.pick(l.id, l.address, l.through(now, client), &l.turns)
	if t == nil {
		return nil, netip.AddrPort{}, refusal
	}
	return t, netip.AddrPortFrom(addr, uint16(t.portFor(int(now.targetPort)))), ""
}

// through is how a client comes to a target.
func (l *frontend) through(now *settings, client netip.Addr) passage {
	return passage{client: client, protocol: l.protocol, port: int(now.targetPort)}
}

// refuse counts what is turned away.
func (l *frontend) refuse(why Refusal) {
	switch why {
	case RefusedSource:
		l.counts.source.Add(1)
	case RefusedNoTarget:
		l.counts.noTarget.Add(1)
	case RefusedDial:
		l.counts.dialed.Add(1)
	case RefusedLimit:
		l.counts.limit.Add(1)
	case RefusedGroup:
		l.counts.group.Add(1)
	}
}

// settings is what can change of a listener while it listens.
type settings struct {
	targetPort uint16
	allowed    []netip.Prefix
	ingress    *Ingress
	proxy      ProxyProtocol
	idle       time.Duration
}

// newSettings are those of a listener for one of its transports.
func newSettings(l Listener, transport simcloud.Protocol) *settings {
	s := &settings{
		targetPort: uint16(l.TargetPort), allowed: l.AllowedCIDRs, ingress: l.Ingress, proxy: l.ProxyProtocol, idle: l.IdleTimeout,
	}
	switch {
	case s.idle > 0:
	case transport == simcloud.ProtocolUDP:
		s.idle = DefaultUDPIdleTimeout
	default:
		s.idle = DefaultIdleTimeout
	}
	return s
}

// refuses tells why a client may not connect; empty when it may.
func (l *frontend) refuses(now *settings, client netip.Addr) Refusal {
	contains := func(prefix netip.Prefix) bool { return prefix.Contains(client) }
	switch {
	case len(now.allowed) > 0 && !slices.ContainsFunc(now.allowed, contains):
		return RefusedSource
	case !now.ingress.lets(passage{client: client, protocol: l.protocol, port: l.port}):
		return RefusedGroup
	default:
		return ""
	}
}
