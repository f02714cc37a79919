package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// options are the flags of serve.
type options struct {
	http, tcp, udp string // addresses to listen on; empty: not at all
	proxyProtocol  bool
	drain          time.Duration
}

func serve(ctx context.Context, args []string, signals <-chan os.Signal, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&o.http, "http", ":8080", "address to answer HTTP on; empty for none")
	flags.StringVar(&o.tcp, "tcp", ":8082", "address to answer lines on; empty for none")
	flags.StringVar(&o.udp, "udp", ":8081", "address to answer datagrams on; empty for none")
	flags.BoolVar(&o.proxyProtocol, "proxy-protocol", false, "want a PROXY header, version 1 or 2, at the beginning of each connection")
	flags.DurationVar(&o.drain, "drain", 0, "how long to go on serving after SIGTERM, with /healthz answering 503")
	if err := parse(flags, args, 0, stderr); err != nil {
		return err
	}
	hostname, err := os.Hostname()
	if err != nil {
		return err
	}
	s := &server{options: o, hostname: hostname, headerTimeout: headerTimeout}
	if err := s.listen(ctx); err != nil {
		return errors.Join(err, s.close())
	}
	for _, address := range s.addresses() {
		fmt.Fprintf(stderr, "testserver: listening on %s %s\n", address.Network(), address)
	}
	return s.run(ctx, signals)
}

// server answers on its sockets. Those that it has none of are nil.
type server struct {
	options
	hostname string
	// headerTimeout bounds the wait for a PROXY header.
	headerTimeout time.Duration

	web      net.Listener
	lines    net.Listener
	datagram net.PacketConn
	draining atomic.Bool
}

// listen opens the sockets.
func (s *server) listen(ctx context.Context) error {
	var config net.ListenConfig
	for _, socket := range []struct {
		address string
		open    func(address string) error
	}{
		{s.http, func(address string) (err error) { s.web, err = s.stream(ctx, address); return err }},
		{s.tcp, func(address string) (err error) { s.lines, err = s.stream(ctx, address); return err }},
		{s.udp, func(address string) (err error) {
			s.datagram, err = config.ListenPacket(ctx, "udp", address)
			return err
		}},
	} {
		if socket.address == "" {
			continue
		}
		if err := socket.open(socket.address); err != nil {
			return err
		}
	}
	return nil
}

// stream listens on TCP, with PROXY headers if that is asked for.
func (s *server) stream(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if s.proxyProtocol {
		return proxyListener{listener, s.headerTimeout}, nil
	}
	return listener, nil
}

// addresses are those of the sockets, in the order HTTP, TCP, UDP.
func (s *server) addresses() []net.Addr {
	var all []net.Addr
	if s.web != nil {
		all = append(all, s.web.Addr())
	}
	if s.lines != nil {
		all = append(all, s.lines.Addr())
	}
	if s.datagram != nil {
		all = append(all, s.datagram.LocalAddr())
	}
	return all
}

// run serves until a signal comes or ctx ends, and then as long as drain says.
// It returns when the requests that it had begun are answered.
func (s *server) run(ctx context.Context, signals <-chan os.Signal) error {
	web := &http.Server{Handler: s.handler(), ReadHeaderTimeout: requestTimeout}
	failed := make(chan error, 3)
	var sockets sync.WaitGroup
	if s.web != nil {
		sockets.Go(func() { failed <- ended(web.Serve(s.web), http.ErrServerClosed) })
	}
	if s.lines != nil {
		sockets.Go(func() { failed <- ended(s.serveLines(), net.ErrClosed) })
	}
	if s.datagram != nil {
		sockets.Go(func() { failed <- ended(s.serveDatagrams(), net.ErrClosed) })
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	case <-signals:
		s.draining.Store(true)
		web.SetKeepAlivesEnabled(false) // a client that asks again asks somebody else
		err = wait(ctx, s.drain, signals, failed)
	}
	bounded, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	err = errors.Join(err, web.Shutdown(bounded), s.close())
	sockets.Wait()
	return err
}

// requestTimeout bounds how long a request may take that was begun before the end.
const requestTimeout = 30 * time.Second

// wait returns after d, or when a second signal or an error comes.
func wait(ctx context.Context, d time.Duration, signals <-chan os.Signal, failed <-chan error) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-signals:
	case err := <-failed:
		return err
	}
	return nil
}

// ended is the error that a socket ended with, unless it was closed on purpose.
func ended(err, onPurpose error) error {
	if errors.Is(err, onPurpose) {
		return nil
	}
	return err
}

// close closes the sockets, those too that are closed already.
func (s *server) close() error {
	var errs []error
	if s.web != nil {
		errs = append(errs, ended(s.web.Close(), net.ErrClosed))
	}
	if s.lines != nil {
		errs = append(errs, ended(s.lines.Close(), net.ErrClosed))
	}
	if s.datagram != nil {
		errs = append(errs, ended(s.datagram.Close(), net.ErrClosed))
	}
	return errors.Join(errs...)
}
