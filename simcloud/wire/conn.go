package wire

import (
	"bytes"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// bufferSize is how many bytes are on their way in one direction at most.
const bufferSize = 256 << 10

// conn is one end of a connection. The lock of its network guards what changes.
type conn struct {
	host          *Host
	peer          *conn
	local, remote *net.TCPAddr
	writing       chan struct{} // full while a Write goes on: two do not mix

	changed sync.Cond // of all that follows, here and at the peer, and of the host's being held
	in      bytes.Buffer
	heard   ending // how the peer has ended
	shut    bool   // CloseWrite was called
	linger  bool   // Close says good-bye instead of resetting; true at first
	ended   error  // why nothing works any more: net.ErrClosed, or syscall.ECONNRESET when it was cut

	reads, writes deadline
}

// ending is what an end hears of its peer. What is nil goes on.
type ending struct {
	read  error // of a read after all that has arrived
	write error
}

// finished, closed and reset are what there is to hear.
var (
	finished = ending{read: io.EOF}
	closed   = ending{read: io.EOF, write: syscall.EPIPE}
	reset    = ending{read: syscall.ECONNRESET, write: syscall.ECONNRESET}
)

// notice is what the peer of an end has not heard yet, because the end's host is held.
type notice struct {
	from *conn
	what ending
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, err := c.receive(b)
	if err == nil || err == io.EOF { //nolint:errorlint // it is bare, for callers that compare
		return n, err
	}
	return n, c.opError("read", err)
}

func (c *conn) receive(b []byte) (int, error) {
	c.host.network.mu.Lock()
	defer c.host.network.mu.Unlock()
	err := c.awaitLocked(&c.reads, func() bool { return c.in.Len() > 0 || c.heard.read != nil })
	if err != nil {
		return 0, err
	}
	if c.in.Len() == 0 {
		return 0, c.heard.read
	}
	n, err := c.in.Read(b)
	c.peer.changed.Broadcast()
	return n, err
}

// Write implements net.Conn. It returns when all is in the buffer.
func (c *conn) Write(b []byte) (int, error) {
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	n, err := c.send(b)
	if err != nil {
		err = c.opError("write", err)
	}
	return n, err
}

func (c *conn) send(b []byte) (sent int, err error) {
	c.host.network.mu.Lock()
	defer c.host.network.mu.Unlock()
	for {
		err := c.awaitLocked(&c.writes, func() bool { return c.shut || c.heard.write != nil || c.roomLocked() > 0 })
		switch {
		case err != nil:
			return sent, err
		case c.shut:
			return sent, syscall.EPIPE
		case c.heard.write != nil:
			return sent, c.heard.write
		}
		n := min(len(b)-sent, c.roomLocked())
		_, _ = c.peer.in.Write(b[sent : sent+n])
		c.peer.changed.Broadcast()
		if sent += n; sent == len(b) {
			return sent, nil
		}
	}
}

// roomLocked is how many bytes the peer can still take.
func (c *conn) roomLocked() int { return bufferSize - c.peer.in.Len() }

// awaitLocked waits, without the lock, until an operation with a deadline can
// go on. It returns why it cannot.
func (c *conn) awaitLocked(limit *deadline, ready func() bool) error {
	for {
		switch {
		case c.ended != nil:
			return c.ended
		case c.host.held:
		case limit.passed():
			return os.ErrDeadlineExceeded
		case ready():
			return nil
		default:
			limit.arm()
		}
		c.changed.Wait()
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.host.network.mu.Lock()
	defer c.host.network.mu.Unlock()
	switch {
	case c.ended == net.ErrClosed: //nolint:errorlint // it is ours
		return c.opError("close", net.ErrClosed)
	case c.ended != nil: // the peer knows
	case c.linger:
		c.tellLocked(closed)
	default:
		c.tellLocked(reset)
	}
	c.endLocked(net.ErrClosed)
	return nil
}

// CloseWrite ends what this end sends: the peer reads io.EOF after it.
func (c *conn) CloseWrite() error {
	c.host.network.mu.Lock()
	defer c.host.network.mu.Unlock()
	if c.ended != nil {
		return c.opError("close", c.ended)
	}
	if !c.shut {
		c.shut = true
		c.tellLocked(finished)
		c.changed.Broadcast()
	}
	return nil
}

// SetLinger is that of net.TCPConn: after 0 Close resets the connection.
func (c *conn) SetLinger(seconds int) error {
	return c.set(func() { c.linger = seconds != 0 })
}

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	return c.set(func() { c.reads.at, c.writes.at = t, t })
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error { return c.set(func() { c.reads.at = t }) }

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(t time.Time) error { return c.set(func() { c.writes.at = t }) }

// set changes an option of an end that is open.
func (c *conn) set(change func()) error {
	c.host.network.mu.Lock()
	defer c.host.network.mu.Unlock()
	if c.ended != nil {
		return c.opError("set", c.ended)
	}
	change()
	c.changed.Broadcast()
	return nil
}

// endLocked lets nothing work any more at this end.
func (c *conn) endLocked(why error) {
	c.ended = why
	c.in = bytes.Buffer{}
	c.reads.stop()
	c.writes.stop()
	c.host.conns = slices.DeleteFunc(c.host.conns, func(other *conn) bool { return other == c })
	c.changed.Broadcast()
}

// tellLocked lets the peer hear of an ending, once the host can send.
func (c *conn) tellLocked(what ending) {
	if c.host.held {
		c.host.unsent = append(c.host.unsent, notice{c, what})
		return
	}
	c.peer.learnLocked(what)
}

// learnLocked takes what the peer has told.
func (c *conn) learnLocked(what ending) {
	c.heard.read = what.read
	if what.write != nil {
		c.heard.write = what.write
	}
	c.changed.Broadcast()
}

// opError says what failed as an error of a TCP connection does.
func (c *conn) opError(op string, err error) error {
	if errno, ok := err.(syscall.Errno); ok { //nolint:errorlint // it is ours, and bare
		err = os.NewSyscallError(op, errno)
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}
