package manager

import (
	"context"
	"net"
	"net/http"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// reach is how a CCM in this process gets to its cloud.
type reach struct {
	transport *http.Transport
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
}

// reach is by sockets where there is no network in memory, on which the CCM is a host of this name. The transport is another one each time.
func (d Deps) reach(name string) reach {
	if d.Wire != nil {
		host := d.Wire.Host(name)
		return reach{host.Transport(), host.DialContext}
	}
	dialer := &net.Dialer{}
	return reach{http.DefaultTransport.(*http.Transport).Clone(), dialer.DialContext}
}

// freePort returns a port that is free where the CCM listens.
func (d Deps) freePort(ctx context.Context) (int, error) {
	if d.Wire == nil {
		return process.FreePort()
	}
	listener, err := d.Wire.Listen(ctx, net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}
