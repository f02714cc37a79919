package wire

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"
)

// Host is one of those on a network whose connections can be cut and held
// together, such as those of one process. It has no address of its own.
type Host struct {
	network *Network
	changed sync.Cond // of held and cut; the lock of the network guards all of this

	held, cut bool
	conns     []*conn  // its ends of what is open, oldest first
	unsent    []notice // what its peers hear once it is not held any more
}

// Listen is [Network.Listen] by this host.
func (h *Host) Listen(ctx context.Context, address string) (net.Listener, error) {
	at, err := parse(address, netip.IPv6Unspecified())
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Err: err}
	}
	h.network.mu.Lock()
	defer h.network.mu.Unlock()
	l, ok := h.network.bindLocked(h, at)
	if !ok {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: net.TCPAddrFromAddrPort(at), Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	}
	return l, nil
}

// DialContext is [Network.DialContext] by this host. It waits while the host is
// held. When this host is cut off the error is syscall.ENETUNREACH, and
// syscall.EHOSTUNREACH when the other one is.
func (h *Host) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	at, err := parse(address, loopback)
	if err == nil && network != "tcp" && network != "tcp4" && network != "tcp6" {
		err = net.UnknownNetworkError(network)
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	at = reached(at)
	c, err := h.dial(ctx, at)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: net.TCPAddrFromAddrPort(at), Err: err}
	}
	return c, nil
}

func (h *Host) dial(ctx context.Context, at netip.AddrPort) (*conn, error) {
	stop := context.AfterFunc(ctx, h.wake)
	defer stop()
	h.network.mu.Lock()
	defer h.network.mu.Unlock()
	for h.held && !h.cut && ctx.Err() == nil {
		h.changed.Wait()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // as net does
	}
	l, found := h.network.findLocked(at)
	switch {
	case h.cut:
		return nil, os.NewSyscallError("connect", syscall.ENETUNREACH)
	case !found:
		return nil, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	case l.host.cut:
		return nil, os.NewSyscallError("connect", syscall.EHOSTUNREACH)
	}
	port, _ := h.network.dialled.next(func(uint16) bool { return true })
	return l.connectLocked(h, netip.AddrPortFrom(near(at.Addr()), port), at), nil
}

// Transport is [Network.Transport] by this host.
func (h *Host) Transport() *http.Transport { return newTransport(h.DialContext) }

// Cut takes the host off the network, as if its process had been killed. Its connections are
// reset at once, also while it is held; what its peers have received
// already they can still read. No one connects to it or from it until Join.
// Cutting twice is cutting once.
func (h *Host) Cut() {
	h.network.mu.Lock()
	defer h.network.mu.Unlock()
	h.cut = true
	h.changed.Broadcast()
	for _, n := range h.unsent {
		n.from.peer.learnLocked(reset)
	}
	h.unsent = nil
	for _, c := range slices.Clone(h.conns) {
		c.endLocked(syscall.ECONNRESET)
		c.peer.learnLocked(reset)
	}
}

// Join brings the host back. What was cut stays so.
func (h *Host) Join() {
	h.network.mu.Lock()
	defer h.network.mu.Unlock()
	h.cut = false
}

// Hold lets nothing pass that the host sends or receives, as if its process
// had been stopped: its reads, writes, dials and accepts wait, whatever their
// deadlines. Others still connect to it and send, until the buffers are full.
func (h *Host) Hold() {
	h.network.mu.Lock()
	defer h.network.mu.Unlock()
	h.held = true
}

// Release ends Hold.
func (h *Host) Release() {
	h.network.mu.Lock()
	defer h.network.mu.Unlock()
	h.held = false
	for _, n := range h.unsent {
		n.from.peer.learnLocked(n.what)
	}
	h.unsent = nil
	h.wakeLocked()
}

// wake lets all who wait for the host look again.
func (h *Host) wake() {
	h.network.mu.Lock()
	defer h.network.mu.Unlock()
	h.changed.Broadcast()
}

func (h *Host) wakeLocked() {
	h.changed.Broadcast()
	for _, c := range h.conns {
		c.changed.Broadcast()
	}
	for _, l := range h.network.listeners {
		if l.host == h {
			l.changed.Broadcast()
		}
	}
}
