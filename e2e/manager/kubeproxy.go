package manager

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
)

// kubeProxy stands between CCMs and the cluster's API, and delays what they
// ask. It adds nothing of its own: who asks is told by the token that comes with the request.
type kubeProxy struct {
	url       string
	authority []byte // that has signed its certificate
	delays    *delays
	forward   *httputil.ReverseProxy
	infos     *request.RequestInfoFactory
	server    *http.Server
	served    chan error

	mu       sync.Mutex // guards what follows
	closing  bool
	handlers sync.WaitGroup
}

// startKubeProxy serves the API of a cluster on a port of this host.
func startKubeProxy(cluster *rest.Config, delays *delays) (*kubeProxy, error) {
	target, _, err := rest.DefaultServerUrlFor(cluster)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(cluster))
	if err != nil {
		return nil, err
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey(loopback, []net.IP{net.ParseIP(loopback)}, nil)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0")) //nolint:noctx // nothing to wait for
	if err != nil {
		return nil, err
	}
	p := &kubeProxy{
		url: "https://" + listener.Addr().String(), authority: certificate, delays: delays, served: make(chan error, 1),
		infos: &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")},
	}
	p.forward = p.forwarder(target, transport)
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: time.Minute,
		ErrorLog:  log.New(io.Discard, "", 0), // CCMs end in the middle of requests
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}},
	}
	go func() { p.served <- p.server.ServeTLS(listener, "", "") }()
	return p, nil
}

func (p *kubeProxy) forwarder(target *url.URL, transport http.RoundTripper) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:      transport,
		FlushInterval:  -1, // a watch tells what happens when it happens
		ModifyResponse: p.holdNews,
		// A cluster that is away has no answer: the connection breaks.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
}

// ServeHTTP forwards a request when its time has come.
func (p *kubeProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.begin() {
		return
	}
	defer p.handlers.Done()
	if verb, resource, ok := p.asks(r); ok && verb != "watch" {
		if p.delays.wait(r.Context(), time.Now(), verb, resource) != nil {
			return // whoever asked is gone
		}
	}
	p.forward.ServeHTTP(w, r)
}

// begin counts a request, unless the proxy is closing.
func (p *kubeProxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closing {
		p.handlers.Add(1)
	}
	return !p.closing
}

// asks says what a request wants, if it is one for a resource.
func (p *kubeProxy) asks(r *http.Request) (verb, resource string, ok bool) {
	info, err := p.infos.NewRequestInfo(r)
	if err != nil || !info.IsResourceRequest {
		return "", "", false
	}
	return info.Verb, path.Join(info.Resource, info.Subresource), true
}

// holdNews delays what a watch tells.
func (p *kubeProxy) holdNews(answer *http.Response) error {
	verb, resource, ok := p.asks(answer.Request)
	if !ok || verb != "watch" || answer.StatusCode != http.StatusOK {
		return nil
	}
	answer.Body = delayed(answer.Body, func(came time.Time) error {
		return p.delays.wait(answer.Request.Context(), came, verb, resource)
	})
	return nil
}

// close ends all connections and returns when nothing of the proxy runs.
func (p *kubeProxy) close() error {
	p.mu.Lock()
	p.closing = true
	p.mu.Unlock()
	err := p.server.Close()
	if ended := <-p.served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	p.handlers.Wait()
	if err != nil {
		return fmt.Errorf("stop the proxy of the cluster's API: %w", err)
	}
	return nil
}

// kubeAPI is how CCMs reach the API of the cluster: by its own address, or by way of a proxy.
type kubeAPI struct {
	cluster  *rest.Config
	delays   *delays
	inMemory bool // CCMs reach it by transports of this process: see delaying

	mu    sync.Mutex // guards proxy
	proxy *kubeProxy // nil until a CCM's requests are to be delayed
}

func newKubeAPI(cluster *rest.Config, inMemory bool) *kubeAPI {
	return &kubeAPI{cluster: cluster, delays: newDelays(), inMemory: inMemory}
}

// proxied is the access to the cluster by way of the proxy, which starts when it is first wanted.
func (a *kubeAPI) proxied(access *rest.Config) (*rest.Config, error) {
	if a.inMemory {
		return access, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.proxy == nil {
		p, err := startKubeProxy(a.cluster, a.delays)
		if err != nil {
			return nil, fmt.Errorf("start a proxy of the cluster's API: %w", err)
		}
		a.proxy = p
	}
	return &rest.Config{Host: a.proxy.url, BearerToken: access.BearerToken, TLSClientConfig: rest.TLSClientConfig{CAData: a.proxy.authority}}, nil
}

// close stops the proxy, if it runs.
func (a *kubeAPI) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.proxy == nil {
		return nil
	}
	err := a.proxy.close()
	a.proxy = nil
	return err
}
