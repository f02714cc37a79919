package controllers

import (
	"context"
	"errors"
	"io"
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/config"

	"github.com/simcloud-dev/simcloud/e2e/virtual"
)

// newAccess returns the configuration of all clients of the CCM: to the same server as kube, by a transport that has its credentials.
func newAccess(kube *rest.Config, transport http.RoundTripper, connection config.ClientConnectionConfiguration) (*rest.Config, error) {
	host, _, err := rest.DefaultServerUrlFor(kube)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: host.String(), APIPath: kube.APIPath, Transport: transport,
		ContentConfig: rest.ContentConfig{AcceptContentTypes: connection.AcceptContentTypes, ContentType: connection.ContentType},
		QPS:           connection.QPS, Burst: int(connection.Burst),
	}, nil
}

// newTransport returns a transport with the credentials of kube, that no one else uses unless kube names it. client-go
// would hand one out that it shares.
func newTransport(kube *rest.Config) (http.RoundTripper, error) {
	kube = rest.CopyConfig(kube)
	kube.UserAgent = "" // each client has one
	base := kube.Transport
	if base == nil {
		encrypted, err := rest.TLSConfigFor(kube)
		if err != nil {
			return nil, err
		}
		base = utilnet.SetTransportDefaults(&http.Transport{
			Proxy: kube.Proxy, DialContext: kube.Dial, TLSClientConfig: encrypted, MaxIdleConnsPerHost: 25, DisableCompression: true,
		})
	}
	return rest.HTTPWrappersForConfig(kube, base)
}

// gate lets requests through until open is done. Those under way are cancelled then: upstream makes some without a
// context that ends.
type gate struct {
	open context.Context
	life context.Context // of the CCM: a kill ends open too, but a little later
	next http.RoundTripper
}

var errEnded = errors.New("the cloud controller manager has ended")

// RoundTrip implements http.RoundTripper.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	if g.open.Err() != nil || errors.Is(context.Cause(g.life), virtual.ErrKilled) {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, errEnded
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	unlink := context.AfterFunc(g.open, func() { cancel(errEnded) })
	done := func() {
		unlink()
		cancel(nil)
	}
	resp, err := g.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		done()
		return nil, err
	}
	resp.Body = &body{resp.Body, done}
	return resp, nil
}

// body is a response's body with what is to be done when it is closed.
type body struct {
	io.ReadCloser
	closed func()
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.closed()
	return b.ReadCloser.Close()
}
