package sim

import (
	"context"
	"net"
	"sync"
	"time"
)

// closingLimit is how long a client may take, once the cloud closes, to send
// the rest of a request, and to take each part of an answer.
const closingLimit = time.Second

// closingListener accepts connections on which no client keeps the cloud from
// closing: the time-outs of a request are for one that serves, and a client
// that stalls would use up all the time that Close has.
type closingListener struct {
	net.Listener
	closing context.Context
}

// streamConn is what a *net.TCPConn is, and a connection of package wire. A
// fault resets it by SetLinger; net/http half-closes it by CloseWrite.
type streamConn interface {
	net.Conn
	CloseWrite() error
	SetLinger(seconds int) error
}

// Accept implements net.Listener. Connections of another kind keep their time-outs.
func (l closingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	stream, ok := conn.(streamConn)
	if err != nil || !ok {
		return conn, err
	}
	c := &closingConn{streamConn: stream}
	c.forget = context.AfterFunc(l.closing, c.hurry)
	return c, nil
}

// closingConn is a connection whose deadlines are short once the cloud closes.
type closingConn struct {
	streamConn
	forget func() bool

	mu    sync.Mutex
	until time.Time // the end of all reads; zero while the cloud serves
}

// hurry bounds what is under way, and what is to come.
func (c *closingConn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = time.Now().Add(closingLimit)
	_ = c.SetDeadline(c.until) // fails when it is closed already
}

// SetReadDeadline implements net.Conn.
func (c *closingConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.until.IsZero() && (t.IsZero() || t.After(c.until)) {
		t = c.until
	}
	return c.streamConn.SetReadDeadline(t)
}

// Write implements net.Conn. A request that the cloud works on may end after
// hurry: each write has its time.
func (c *closingConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	if !c.until.IsZero() {
		_ = c.SetWriteDeadline(time.Now().Add(closingLimit)) // the write says what is wrong
	}
	c.mu.Unlock()
	return c.streamConn.Write(b)
}

// Close implements net.Conn.
func (c *closingConn) Close() error {
	c.forget()
	return c.streamConn.Close()
}
