package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// proxyListener takes a PROXY header off the beginning of each connection. A
// connection without one cannot be read from.
type proxyListener struct {
	net.Listener
	headerTimeout time.Duration
}

// Accept does not wait for the header: who sends none must not hold up the others.
func (l proxyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &proxyConn{Conn: conn, reader: bufio.NewReader(conn), timeout: l.headerTimeout}, nil
}

// proxyConn is a connection whose header is read when something of it is first asked for.
type proxyConn struct {
	net.Conn
	reader  *bufio.Reader
	timeout time.Duration // for its header
	header  sync.Once
	peer    net.Addr // nil: the header names nobody
	err     error
}

// Read reads what comes after the header.
func (c *proxyConn) Read(p []byte) (int, error) {
	if c.header.Do(c.readHeader); c.err != nil {
		return 0, c.err
	}
	return c.reader.Read(p)
}

// RemoteAddr is who the header says connects, or else who does.
func (c *proxyConn) RemoteAddr() net.Addr {
	if c.header.Do(c.readHeader); c.peer != nil {
		return c.peer
	}
	return c.Conn.RemoteAddr()
}

// headerTimeout bounds the wait for a header, unless a test wants it otherwise.
const headerTimeout = 5 * time.Second

// The beginnings of both versions.
const (
	signature1 = "PROXY "
	signature2 = "\r\n\r\n\x00\r\nQUIT\n"
)

func (c *proxyConn) readHeader() {
	if c.err = c.SetReadDeadline(time.Now().Add(c.timeout)); c.err != nil {
		return
	}
	c.peer, c.err = readHeader(c.reader)
	c.err = errors.Join(c.err, c.SetReadDeadline(time.Time{}))
}

// readHeader returns the peer that a header names; nil when it names none.
func readHeader(from *bufio.Reader) (net.Addr, error) {
	// Both are longer than this, so that this cannot wait for ever.
	start, err := from.Peek(len(signature2))
	if err != nil {
		return nil, fmt.Errorf("read the PROXY header: %w", err)
	}
	switch {
	case bytes.HasPrefix(start, []byte(signature1)):
		return readHeader1(from)
	case string(start) == signature2:
		return readHeader2(from)
	default:
		return nil, fmt.Errorf("the connection begins with %q, not with a PROXY header", start)
	}
}
