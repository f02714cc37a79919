package dataplane

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// maxDatagram is more than any datagram has.
const maxDatagram = 64 << 10

// session is a client of a UDP listener and the target that it talks to.
type session struct {
	socket   *udpSocket
	client   netip.AddrPort
	target   *backend
	to       netip.AddrPort
	upstream *net.UDPConn
	moved    atomic.Int64 // datagrams
	epoch    uint64       // of the pool, when the target was last looked at; the receiver's own

	// Guarded by the socket.
	watched
	retired time.Time // zero while datagrams go to it
}

func newSession(s *udpSocket, client netip.AddrPort, t *backend, to netip.AddrPort, epoch uint64) (*session, error) {
	var dialer net.Dialer
	upstream, err := dialer.DialUDP(s.ctx, "udp", netip.AddrPort{}, to)
	if err != nil {
		return nil, err
	}
	return &session{socket: s, client: client, target: t, to: to, upstream: upstream, epoch: epoch}, nil
}

// current reports whether the client's datagrams still go this way.
func (s *session) current(now *settings) bool {
	if int(s.to.Port()) != s.target.portFor(int(now.targetPort)) {
		return false
	}
	epoch := s.socket.pool.epoch.Load()
	if s.epoch == epoch {
		return true
	}
	s.epoch = epoch
	return s.socket.pool.keeps(s.target, s.socket.id, s.socket.address, s.to.Addr(), s.socket.through(now, s.client.Addr()))
}

func (s *session) send(datagram []byte) error {
	if _, err := s.upstream.Write(datagram); err != nil {
		return err
	}
	s.moved.Add(1)
	s.socket.counts.received.Add(int64(len(datagram)))
	return nil
}

// reply passes on what the target answers, until the session ends.
func (s *session) reply() {
	raw, err := s.upstream.SyscallConn()
	if err != nil {
		return
	}
	for {
		err := s.replyOnce(raw)
		if errors.Is(err, syscall.ECONNREFUSED) {
			s.socket.refuse(RefusedDial)
		}
		if err != nil {
			return
		}
	}
}

// buffers are for datagrams on their way. A session that waits has none.
var buffers = sync.Pool{New: func() any { return new([maxDatagram]byte) }}

// replyOnce passes on the next datagram.
func (s *session) replyOnce(raw syscall.RawConn) error {
	var failed error
	err := raw.Read(func(fd uintptr) bool {
		buf, _ := buffers.Get().(*[maxDatagram]byte)
		defer buffers.Put(buf)
		n, err := syscall.Read(int(fd), buf[:])
		switch {
		case err == nil:
			s.sendBack(buf[:n])
		case errors.Is(err, syscall.EAGAIN):
			return false
		case !errors.Is(err, syscall.EINTR):
			failed = err
		}
		return true
	})
	if err != nil {
		return err
	}
	return failed
}

// sendBack lets the client be: one that is gone is no reason to end, idleness is.
func (s *session) sendBack(datagram []byte) {
	if _, err := s.socket.receiving.WriteToUDPAddrPort(datagram, s.client); err != nil {
		return
	}
	s.moved.Add(1)
	s.socket.counts.sent.Add(int64(len(datagram)))
}

// cut ends the session.
func (s *session) cut() { _ = s.upstream.Close() }
