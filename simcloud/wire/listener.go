package wire

import (
	"net"
	"net/netip"
	"sync"
)

// listener is where connections arrive. The lock of its network guards what changes.
type listener struct {
	host    *Host
	address netip.AddrPort

	changed sync.Cond // of the host's being held too
	arrived []*conn   // and not accepted, oldest first
	closed  bool
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return net.TCPAddrFromAddrPort(l.address) }

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	l.host.network.mu.Lock()
	defer l.host.network.mu.Unlock()
	for !l.closed && (l.host.held || len(l.arrived) == 0) {
		l.changed.Wait()
	}
	if l.closed {
		return nil, l.opError("accept")
	}
	c := l.arrived[0]
	l.arrived = l.arrived[1:]
	return c, nil
}

// Close implements net.Listener. It resets the connections that no one has accepted.
func (l *listener) Close() error {
	l.host.network.mu.Lock()
	defer l.host.network.mu.Unlock()
	if l.closed {
		return l.opError("close")
	}
	l.closed = true
	delete(l.host.network.listeners, l.address)
	for _, c := range l.arrived {
		c.tellLocked(reset)
		c.endLocked(net.ErrClosed)
	}
	l.arrived = nil
	l.changed.Broadcast()
	return nil
}

// opError is the error of an operation after Close.
func (l *listener) opError(op string) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed}
}

// connectLocked makes a connection from a host and returns that host's end of it.
func (l *listener) connectLocked(from *Host, local, remote netip.AddrPort) *conn {
	here, there := newConn(from, local, remote), newConn(l.host, remote, local)
	here.peer, there.peer = there, here
	l.arrived = append(l.arrived, there)
	l.changed.Broadcast()
	return here
}

// newConn returns an end without its peer.
func newConn(h *Host, local, remote netip.AddrPort) *conn {
	c := &conn{
		host: h, local: net.TCPAddrFromAddrPort(local), remote: net.TCPAddrFromAddrPort(remote),
		writing: make(chan struct{}, 1), linger: true, changed: sync.Cond{L: &h.network.mu},
	}
	c.reads.wake, c.writes.wake = c.wake(&c.reads), c.wake(&c.writes)
	h.conns = append(h.conns, c)
	return c
}
