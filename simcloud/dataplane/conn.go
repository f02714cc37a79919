package dataplane

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// conn is a connection of a client and the one to its target.
type conn struct {
	client, upstream *net.TCPConn
	target           *backend
	received, sent   atomic.Int64 // from and to the client
	watched                       // guarded by the socket
}

// run forwards both ways until both have ended. How a side ends is passed on:
// the end of what it sends as such, anything else as a reset.
func (c *conn) run() {
	back := make(chan struct{})
	go func() {
		defer close(back)
		c.forward(c.client, c.upstream, &c.sent)
	}()
	c.forward(c.upstream, c.client, &c.received)
	<-back
	_ = c.client.Close() // ended already, one way or the other
	_ = c.upstream.Close()
}

func (c *conn) forward(to, from *net.TCPConn, moved *atomic.Int64) {
	err := move(to, from, moved)
	if err == nil {
		err = to.CloseWrite()
	}
	if err != nil {
		c.cut()
	}
}

// cut ends the connection at once.
func (c *conn) cut() {
	reset(c.client)
	reset(c.upstream)
}

// reset ends a connection so that the other side sees it was not meant to.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0) // fails when it is closed already
	_ = c.Close()
}

const (
	// shortRead is what a connection that says little at a time reads with.
	// One that fills it is spliced: its bytes stay in the kernel.
	shortRead = 4 << 10
	// spliceSize is how much is spliced before it is counted.
	spliceSize = 1 << 20
	// splicePause is how long a connection may have nothing to splice. Then it
	// reads again, as splicing takes two file descriptors while it waits.
	splicePause = 100 * time.Millisecond
)

// move moves what one side sends to the other, until its end.
func move(to, from *net.TCPConn, moved *atomic.Int64) error {
	buf := make([]byte, shortRead)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return err
			}
			moved.Add(int64(n))
		}
		if n == len(buf) && err == nil {
			err = splice(to, from, moved)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// splice moves as long as there is something to move, and answers io.EOF when
// there never will be again.
func splice(to, from *net.TCPConn, moved *atomic.Int64) error {
	for {
		if err := from.SetReadDeadline(time.Now().Add(splicePause)); err != nil {
			return err
		}
		n, err := to.ReadFrom(&io.LimitedReader{R: from, N: spliceSize})
		moved.Add(n)
		switch {
		case err == nil && n < spliceSize:
			return io.EOF
		case err == nil || n > 0 && errors.Is(err, os.ErrDeadlineExceeded):
		case errors.Is(err, os.ErrDeadlineExceeded):
			return from.SetReadDeadline(time.Time{})
		default:
			return err
		}
	}
}
