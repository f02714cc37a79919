package dataplane

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"
)

// receiveBuffer is what the kernel is asked to keep of datagrams that come
// while others are forwarded.
const receiveBuffer = 1 << 20

// udpSocket receives datagrams and forwards those of one client to one target.
type udpSocket struct {
	*frontend
	receiving *net.UDPConn

	mu       sync.Mutex
	closed   bool
	sessions map[*session]struct{}       // all that have a socket
	clients  map[netip.AddrPort]*session // those that datagrams go to
}

func listenUDP(l *frontend) (socket, error) {
	var config net.ListenConfig
	conn, err := config.ListenPacket(l.ctx, "udp", l.at().String())
	if err != nil {
		return nil, err
	}
	receiving, ok := conn.(*net.UDPConn)
	if !ok {
		return nil, fmt.Errorf("%T is not a UDP socket", conn)
	}
	_ = receiving.SetReadBuffer(receiveBuffer) // as much as the machine allows
	s := &udpSocket{frontend: l, receiving: receiving, sessions: map[*session]struct{}{}, clients: map[netip.AddrPort]*session{}}
	l.balancer.running.Go(s.receive)
	return s, nil
}

func (s *udpSocket) receive() {
	buf := make([]byte, maxDatagram)
	for {
		n, from, err := s.receiving.ReadFromUDPAddrPort(buf)
		switch {
		case err == nil:
			s.forward(buf[:n], netip.AddrPortFrom(from.Addr().Unmap(), from.Port()))
		case s.ctx.Err() != nil:
			return
		default:
			s.pause(err)
		}
	}
}

// forward sends a datagram to its client's target, or to another one when
// that has ceased to listen.
func (s *udpSocket) forward(datagram []byte, client netip.AddrPort) {
	now := s.settings.Load()
	if refusal := s.refuses(now, client.Addr()); refusal != "" {
		s.refuse(refusal)
		return
	}
	for range 2 {
		known := s.session(client, now)
		if known == nil {
			return
		}
		if known.send(datagram) == nil {
			return
		}
		s.refuse(RefusedDial)
		s.retire(known)
	}
}

// session returns a client's session, a new one when it has none or its target
// gets nothing any more; nil when it is turned away.
func (s *udpSocket) session(client netip.AddrPort, now *settings) *session {
	s.mu.Lock()
	known := s.clients[client]
	s.mu.Unlock()
	if known != nil && known.current(now) {
		return known
	}
	if known != nil {
		s.retire(known)
	}
	made, refusal := s.begin(client, now)
	if made == nil {
		s.refuse(refusal)
	}
	return made
}

// begin connects a client to a target.
func (s *udpSocket) begin(client netip.AddrPort, now *settings) (*session, Refusal) {
	s.counts.accepted.Add(1)
	if !s.balancer.admit() {
		return nil, RefusedLimit
	}
	epoch := s.pool.epoch.Load()
	t, to, refusal := s.pick(now, client.Addr())
	if t == nil {
		s.balancer.leave()
		return nil, refusal
	}
	made, err := newSession(s, client, t, to, epoch)
	if err != nil || !s.add(made) {
		s.pool.release(t)
		s.balancer.leave()
		return nil, RefusedDial
	}
	return made, ""
}

// add begins to pass on what the target answers.
func (s *udpSocket) add(made *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		made.cut()
		return false
	}
	s.sessions[made], s.clients[made.client] = struct{}{}, made
	s.balancer.running.Go(func() {
		made.reply()
		s.pool.release(made.target)
		s.remove(made)
		s.balancer.leave()
	})
	return true
}

// retire lets a session's target answer what it has got, and sends it nothing more.
func (s *udpSocket) retire(old *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetLocked(old)
	old.retired = s.balancer.config.Clock.Now()
}

func (s *udpSocket) remove(old *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetLocked(old)
	delete(s.sessions, old)
	old.cut()
}

func (s *udpSocket) forgetLocked(old *session) {
	if s.clients[old.client] == old {
		delete(s.clients, old.client)
	}
}

func (s *udpSocket) close() {
	_ = s.receiving.Close() // it is closed once
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for known := range s.sessions {
		known.cut()
	}
}

func (s *udpSocket) sweep(now time.Time, overdue map[*backend]bool) {
	limit := s.settings.Load().idle
	s.mu.Lock()
	defer s.mu.Unlock()
	for known := range s.sessions {
		drained := !known.retired.IsZero() && now.Sub(known.retired) >= s.balancer.config.DrainTimeout
		if drained || overdue[known.target] || known.idle(known.moved.Load(), now) >= limit {
			s.forgetLocked(known)
			known.cut()
		}
	}
}

func (s *udpSocket) live() (clients, received, sent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.clients)), s.counts.received.Load(), s.counts.sent.Load()
}
