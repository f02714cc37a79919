// Package wire is a network in memory: what listens and dials on it needs no
// socket, and so may run in a testing/synctest bubble, where a goroutine that
// waits for a socket stops the clock.
//
// Connections act as those of TCP on one machine do, with the same errors, but
// for two differences: no write is lost when the other end closes before it has
// read everything, and the first write after that fails, not the second. All
// waiting is durable in the sense of testing/synctest. What was made in a
// bubble must stay in it.
package wire

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Network connects those who dial with those who listen. What is not done
// through a [Host] is done by the host with the empty name.
type Network struct {
	mu        sync.Mutex // of all that changes on the network: no one waits with it
	hosts     map[string]*Host
	listeners map[netip.AddrPort]*listener
	listened  ports // those that Listen chooses
	dialled   ports // those of the ends that dial
}

// New returns a network on which nothing listens.
func New() *Network {
	return &Network{
		hosts:     map[string]*Host{},
		listeners: map[netip.AddrPort]*listener{},
		listened:  ports{first: 20000, last: 32767},
		dialled:   ports{first: 32768, last: 65535},
	}
}

// Host returns the host of a name, the same one each time.
func (n *Network) Host(name string) *Host {
	n.mu.Lock()
	defer n.mu.Unlock()
	h, found := n.hosts[name]
	if !found {
		h = &Host{network: n, changed: sync.Cond{L: &n.mu}}
		n.hosts[name] = h
	}
	return h
}

// Listen listens at an address such as "127.0.0.1:80"; port 0 is a free one. An
// address that is taken is syscall.EADDRINUSE, and free again after Close.
func (n *Network) Listen(ctx context.Context, address string) (net.Listener, error) {
	return n.Host("").Listen(ctx, address)
}

// DialContext connects to what listens at an address; syscall.ECONNREFUSED when
// nothing does. The network is "tcp", "tcp4" or "tcp6".
func (n *Network) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return n.Host("").DialContext(ctx, network, address)
}

// Transport returns a transport of HTTP with connections of its own. Its idle
// connections must be closed before a bubble ends.
func (n *Network) Transport() *http.Transport { return n.Host("").Transport() }

// newTransport returns a transport as the clients of a cloud have, without a proxy.
func newTransport(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	return &http.Transport{
		DialContext:         dial,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
	}
}

// bindLocked makes a listener at the address, whose port may be 0.
func (n *Network) bindLocked(h *Host, address netip.AddrPort) (*listener, bool) {
	if address.Port() == 0 {
		port, found := n.listened.next(n.freeLocked)
		if !found {
			return nil, false
		}
		address = netip.AddrPortFrom(address.Addr(), port)
	}
	for taken := range n.listeners {
		if overlap(taken, address) {
			return nil, false
		}
	}
	l := &listener{host: h, address: address, changed: sync.Cond{L: &n.mu}}
	n.listeners[address] = l
	return l, true
}

// freeLocked reports whether nothing listens at the port, at whatever address.
func (n *Network) freeLocked(port uint16) bool {
	for taken := range n.listeners {
		if taken.Port() == port {
			return false
		}
	}
	return true
}

// findLocked returns what is reached at an address: a listener for all addresses is reached at any.
func (n *Network) findLocked(address netip.AddrPort) (*listener, bool) {
	if l, found := n.listeners[address]; found {
		return l, true
	}
	for at, l := range n.listeners {
		if overlap(at, address) {
			return l, true
		}
	}
	return nil, false
}
