package simtest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// Pipe is a listener without a socket. A cloud that serves at it may run in a
// testing/synctest bubble, where a goroutine that waits for a socket stops the clock.
type Pipe struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewPipe returns a listener that only its own Dial reaches.
func NewPipe() *Pipe { return &Pipe{conns: make(chan net.Conn), closed: make(chan struct{})} }

// Accept implements net.Listener.
func (p *Pipe) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *Pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *Pipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// Dial connects to the listener, whatever the address.
func (p *Pipe) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Transport returns a transport whose connections are all to the listener.
func (p *Pipe) Transport() *http.Transport {
	return &http.Transport{DialContext: p.Dial, DisableCompression: true}
}

// OpenPipe is [Open] without a socket. All of the cloud is real but the network
// between it and its clients. The client is an admin's, with this User-Agent.
func OpenPipe(t testing.TB, agent string, opts ...Option) (*sim.Cloud, *Pipe, *client.Client) {
	t.Helper()
	pipe := NewPipe()
	cloud := openCloud(t, append(opts, func(c *sim.Config) { c.Listener = pipe })...)
	return cloud, pipe, DialPipe(t, cloud, pipe, client.Config{Token: cloud.Token(), UserAgent: agent})
}

// DialPipe returns another client of a cloud of [OpenPipe]; the endpoint and the transport are filled in.
func DialPipe(t testing.TB, cloud *sim.Cloud, pipe *Pipe, cfg client.Config) *client.Client {
	t.Helper()
	cfg.Endpoint, cfg.Transport = cloud.URL(), pipe.Transport()
	return Dial(t, cfg)
}
