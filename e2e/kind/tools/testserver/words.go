package main

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"time"
)

// reply is what a word gets: "hostname" and "clientip" get these, any other itself.
func (s *server) reply(word string, peer net.Addr) string {
	switch word {
	case "hostname":
		return s.hostname
	case "clientip":
		return clientIP(peer.String())
	default:
		return word
	}
}

// serveDatagrams answers each datagram with one.
func (s *server) serveDatagrams() error {
	buffer := make([]byte, 64<<10)
	for {
		n, peer, err := s.datagram.ReadFrom(buffer)
		if err != nil {
			return err
		}
		// Who cannot be reached is not served; the others are.
		_, _ = s.datagram.WriteTo([]byte(s.reply(string(buffer[:n]), peer)), peer)
	}
}

// serveLines answers each line of each connection with one. It returns when
// the listener is closed and the connections have ended.
func (s *server) serveLines() error {
	var connections sync.WaitGroup
	open := openConns{conns: map[net.Conn]bool{}}
	defer connections.Wait()
	defer open.closeAll()
	for {
		conn, err := s.lines.Accept()
		if err != nil {
			return err
		}
		open.add(conn)
		connections.Go(func() {
			defer open.remove(conn)
			s.answerLines(conn)
		})
	}
}

func (s *server) answerLines(conn net.Conn) {
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if err := conn.SetWriteDeadline(time.Now().Add(requestTimeout)); err != nil {
			return
		}
		if _, err := fmt.Fprintln(conn, s.reply(lines.Text(), conn.RemoteAddr())); err != nil {
			return
		}
	}
}

// openConns are the connections to close at the end.
type openConns struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
}

func (o *openConns) add(conn net.Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.conns[conn] = true
}

func (o *openConns) remove(conn net.Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.conns, conn)
	_ = conn.Close() // its client is gone, or is told so by this
}

func (o *openConns) closeAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for conn := range o.conns {
		_ = conn.Close()
	}
}
