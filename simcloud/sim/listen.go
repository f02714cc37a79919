package sim

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// defaultListen is a free port of this machine alone.
const defaultListen = "127.0.0.1:0"

// machine is the sockets of this machine.
type machine struct{}

func (machine) Listen(ctx context.Context, address string) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp", address)
}

// sockets is where the cloud listens.
func (c Config) sockets() Sockets {
	if c.Sockets == nil {
		return machine{}
	}
	return c.Sockets
}

// listen opens the address.
func (c Config) listen(ctx context.Context, address string) (net.Listener, error) {
	if address == "" {
		address = defaultListen
	}
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	listener, err := c.sockets().Listen(ctx, address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, simcloud.Errorf(simcloud.Unavailable, "",
			"listen: %s is taken by another process; port 0 takes a free one: %w", address, err)
	case err != nil:
		return nil, simcloud.Errorf(simcloud.Unavailable, "", "listen: cannot use %s: %w", address, err)
	}
	return listener, nil
}

// loopback is where clients of this machine find a cloud.
var loopback = net.IPv4(127, 0, 0, 1)

// listenLocal opens the port of an address at 127.0.0.1; nil where the config does not want that, or what listens at
// the address is there already.
func listenLocal(ctx context.Context, cfg Config, at net.Addr, open func(context.Context, string) (net.Listener, error)) (net.Listener, error) {
	address, ok := at.(*net.TCPAddr)
	if !cfg.Loopback || !ok || address.IP.IsUnspecified() || address.IP.Equal(loopback) {
		return nil, nil //nolint:nilnil // no other listener
	}
	return open(ctx, net.JoinHostPort(loopback.String(), strconv.Itoa(address.Port)))
}

// reachable returns an address at which clients of this machine find a listener.
func reachable(address net.Addr) string {
	at, ok := address.(*net.TCPAddr)
	if !ok || !at.IP.IsUnspecified() {
		return address.String()
	}
	return net.JoinHostPort(loopback.String(), strconv.Itoa(at.Port))
}

func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return simcloud.InvalidFields("", []simcloud.FieldError{
			{Field: "listen", Detail: strconv.Quote(address) + " is not an address such as 127.0.0.1:8080"},
		})
	}
	return nil
}

// newHTTPServer returns the server; base is the context of all requests.
func newHTTPServer(base context.Context, handler http.Handler, limits Limits, log *slog.Logger) *http.Server {
	silent := &silentConns{conns: map[net.Conn]struct{}{}}
	srv := &http.Server{
		ConnState:         silent.note,
		Handler:           handler,
		BaseContext:       func(net.Listener) context.Context { return base },
		Protocols:         oneByOne(),
		ReadHeaderTimeout: limits.Header,
		ReadTimeout:       limits.Body,
		WriteTimeout:      limits.Answer,
		IdleTimeout:       limits.Idle,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	srv.RegisterOnShutdown(silent.close)
	return srv
}

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

// Limits are how long a connection may take for each thing, so that a slow or
// silent client costs little, and how much one token may have under way. What is 0 has its default.
type Limits struct {
	Header time.Duration // to send the head of a request; 10 s
	Body   time.Duration // to send a whole request; 30 s
	Answer time.Duration // to take the answer, from the end of the head on; 60 s
	Idle   time.Duration // between two requests; 2 min
	Event  time.Duration // to take one message of a stream; 15 s

	Streams  int // of one token that are open, waits for operations among them; 1000
	Requests int // of one token that are under way besides; 256
}

// maxHeaderBytes is how long the head of a request may be.
const maxHeaderBytes = 64 << 10

func (l Limits) withDefaults() Limits {
	for _, limit := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&l.Header, 10 * time.Second},
		{&l.Body, 30 * time.Second},
		{&l.Answer, time.Minute},
		{&l.Idle, 2 * time.Minute},
		{&l.Event, 15 * time.Second},
	} {
		if *limit.value == 0 {
			*limit.value = limit.fallback
		}
	}
	return l
}
