package dataplane

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	proxyproto "github.com/pires/go-proxyproto"
)

// tcpSocket accepts connections and forwards them.
type tcpSocket struct {
	*frontend
	accepting *net.TCPListener
	dialer    net.Dialer

	mu     sync.Mutex
	closed bool
	conns  map[*conn]struct{}
}

func listenTCP(l *frontend) (socket, error) {
	// No keep-alives, which cost eight system calls a connection: idleness ends what is dead.
	config := net.ListenConfig{KeepAlive: -1}
	config.SetMultipathTCP(false) // of which splice knows nothing
	ln, err := config.Listen(l.ctx, "tcp", l.at().String())
	if err != nil {
		return nil, err
	}
	accepting, ok := ln.(*net.TCPListener)
	if !ok {
		return nil, fmt.Errorf("%T is not a TCP listener", ln)
	}
	s := &tcpSocket{
		frontend: l, accepting: accepting, conns: map[*conn]struct{}{},
		dialer: net.Dialer{Timeout: l.balancer.config.DialTimeout, KeepAlive: -1},
	}
	l.balancer.running.Go(s.accept)
	return s, nil
}

func (s *tcpSocket) accept() {
	for {
		client, err := s.accepting.AcceptTCP()
		switch {
		case err == nil:
			s.counts.accepted.Add(1)
			s.balancer.running.Go(func() { s.serve(client) })
		case s.ctx.Err() != nil:
			return
		default:
			s.pause(err)
		}
	}
}

// serve forwards a connection until it ends.
func (s *tcpSocket) serve(client *net.TCPConn) {
	if !s.balancer.admit() {
		s.turnAway(client, RefusedLimit)
		return
	}
	defer s.balancer.leave()
	now, from := s.settings.Load(), addrPort(client.RemoteAddr()).Addr()
	if refusal := s.refuses(now, from); refusal != "" {
		s.turnAway(client, refusal)
		return
	}
	t, to, refusal := s.pick(now, from)
	if t == nil {
		s.turnAway(client, refusal)
		return
	}
	c := &conn{client: client, target: t}
	defer s.remove(c) // after the target knows, so that no reader sees more connections there than here
	defer s.pool.release(t)
	var err error
	if c.upstream, err = s.dial(to, now.proxy, client); err != nil {
		s.turnAway(client, RefusedDial)
		return
	}
	if !s.add(c) {
		c.cut()
		return
	}
	c.run()
}

// dial connects to a target and tells it whose connection it is.
func (s *tcpSocket) dial(to netip.AddrPort, proxy ProxyProtocol, client *net.TCPConn) (*net.TCPConn, error) {
	upstream, err := s.dialer.DialTCP(s.ctx, "tcp", netip.AddrPort{}, to)
	if err != nil {
		return nil, err
	}
	if err := writeHeader(upstream, proxy, client); err != nil {
		reset(upstream)
		return nil, err
	}
	return upstream, nil
}

// turnAway resets a connection: a client of a load balancer without a target must
// not take silence for an answer.
func (s *tcpSocket) turnAway(client *net.TCPConn, why Refusal) {
	s.refuse(why)
	reset(client)
}

func (s *tcpSocket) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *tcpSocket) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.counts.received.Add(c.received.Load())
	s.counts.sent.Add(c.sent.Load())
}

func (s *tcpSocket) close() {
	_ = s.accepting.Close() // it is closed once
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.cut()
	}
}

func (s *tcpSocket) sweep(now time.Time, overdue map[*backend]bool) {
	limit := s.settings.Load().idle
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if overdue[c.target] || c.idle(c.received.Load()+c.sent.Load(), now) >= limit {
			c.cut()
		}
	}
}

func (s *tcpSocket) live() (connections, received, sent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		received += c.received.Load()
		sent += c.sent.Load()
	}
	return int64(len(s.conns)), received + s.counts.received.Load(), sent + s.counts.sent.Load()
}

// addrPort is an address of a socket, IPv4 as IPv4.
func addrPort(addr net.Addr) netip.AddrPort {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// writeHeader tells a target whose connection it has got. Both addresses are
// the client's connection's, so that they are of one family.
func writeHeader(to io.Writer, version ProxyProtocol, client *net.TCPConn) error {
	if version == ProxyProtocolNone {
		return nil
	}
	header := proxyproto.HeaderProxyFromAddrs(byte(version), client.RemoteAddr(), client.LocalAddr())
	_, err := header.WriteTo(to)
	return err
}
