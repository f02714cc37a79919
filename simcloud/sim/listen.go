package sim

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// defaultListen is a free port of this machine alone.
const defaultListen = "127.0.0.1:0"

// listen opens the address.
func listen(ctx context.Context, address string) (net.Listener, error) {
	if address == "" {
		address = defaultListen
	}
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, simcloud.Errorf(simcloud.Unavailable, "",
			"listen: %s is taken by another process; port 0 takes a free one: %w", address, err)
	case err != nil:
		return nil, simcloud.Errorf(simcloud.Unavailable, "", "listen: cannot use %s: %w", address, err)
	}
	return listener, nil
}

// reachable returns an address at which clients of this machine find a listener.
func reachable(address net.Addr) string {
	at, ok := address.(*net.TCPAddr)
	if !ok || !at.IP.IsUnspecified() {
		return address.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(at.Port))
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
