package sim

import (
	"net"
	"net/http"
	"sync"
)

// silentConns are the connections that have not sent a byte yet. Clients keep
// some in reserve, and http.Server.Shutdown would wait five seconds for each.
type silentConns struct {
	mu      sync.Mutex
	conns   map[net.Conn]struct{}
	closing bool
}

// note is called for each change of a connection's state.
func (s *silentConns) note(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, conn)
	case s.closing:
		_ = conn.Close()
	default:
		s.conns[conn] = struct{}{}
	}
}

// close closes them, and those to come.
func (s *silentConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for conn := range s.conns {
		_ = conn.Close()
	}
}
