package kubeapi

import (
	"bytes"
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

// Local is an admin's access for what runs beside the server, without a connection: each request is answered when the call
// returns, so that nothing can be watched by it.
func (s *Server) Local(userAgent string) *rest.Config {
	return &rest.Config{Host: "http://local", BearerToken: s.admin, UserAgent: userAgent, QPS: -1, Transport: local{s}}
}

// local answers requests in the goroutine that makes them.
type local struct{ server *Server }

// RoundTrip implements http.RoundTripper.
func (l local) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	a := &answer{header: http.Header{}, code: http.StatusOK}
	l.server.ServeHTTP(a, r)
	return &http.Response{
		Status: http.StatusText(a.code), StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: r,
	}, nil
}

// answer is what a handler writes.
type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

// Header is that of the answer.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader sets the status.
func (a *answer) WriteHeader(code int) { a.code = code }

// Write adds to the body.
func (a *answer) Write(part []byte) (int, error) { return a.body.Write(part) }

// Flush has nothing to do: the caller reads the whole answer.
func (*answer) Flush() {}
