package dataplane_test

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
)

// newSite serves, at an address of a server, what health checks ask for.
func newSite(t *testing.T, at *server, start func(*httptest.Server)) (s *httptest.Server, port int) {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(at.addr.Addr().String(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s is fine", r.Host) })
	mux.HandleFunc("/teapot", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat(" ", 64<<10), "well") })
	s = httptest.NewUnstartedServer(mux)
	_ = s.Listener.Close()
	s.Listener = ln
	start(s)
	t.Cleanup(s.Close)
	return s, ln.Addr().(*net.TCPAddr).Port
}

// TestHTTPCheckAsks: a health check asks for a host, and judges code, text and certificate.
func TestHTTPCheckAsks(t *testing.T) {
	t.Parallel()
	w := &world{t: t, clock: newFakeClock(t)}
	roots := x509.NewCertPool()
	w.start(1, dataplane.BalancerConfig{Clock: w.clock, DialTimeout: time.Minute, RootCAs: roots})
	_, plain := newSite(t, w.servers[0], (*httptest.Server).Start)
	secret, secure := newSite(t, w.servers[0], (*httptest.Server).StartTLS)
	roots.AddCert(secret.Certificate())

	const http, https = simcloud.HealthCheckHTTP, simcloud.HealthCheckHTTPS
	for name, step := range map[string]struct {
		check  simcloud.HealthCheck
		reason string // of a target that is unhealthy
	}{
		"any code":          {simcloud.HealthCheck{Protocol: http, Path: "/teapot"}, "418 I'm a teapot: want 2xx or 3xx"},
		"good code":         {simcloud.HealthCheck{Protocol: http, Path: "/teapot", StatusCodes: []string{"2??", "41?"}}, ""},
		"beginning of code": {simcloud.HealthCheck{Protocol: http, Path: "/ok", StatusCodes: []string{"20*"}}, ""},
		"bad code":          {simcloud.HealthCheck{Protocol: http, Path: "/ok", StatusCodes: []string{"3??", "404"}}, "200 OK: want 3?? or 404"},
		"domain":            {simcloud.HealthCheck{Protocol: http, Path: "/ok", Domain: "a.example.com", Response: "a.example.com is"}, ""},
		"no domain":         {simcloud.HealthCheck{Protocol: http, Path: "/ok", Response: fmt.Sprintf("%s:%d is", w.servers[0].addr.Addr(), plain)}, ""},
		"other text":        {simcloud.HealthCheck{Protocol: http, Path: "/ok", Response: "sick"}, `the answer does not contain "sick"`},
		"late text":         {simcloud.HealthCheck{Protocol: http, Path: "/long", Response: "well"}, `the answer does not contain "well"`},
		"certificate":       {simcloud.HealthCheck{Protocol: https, Path: "/ok", VerifyCertificate: true, Domain: "example.com"}, ""},
		"other's":           {simcloud.HealthCheck{Protocol: https, Path: "/ok", VerifyCertificate: true, Domain: "example.org"}, "certificate is valid for"},
		"not verified":      {simcloud.HealthCheck{Protocol: https, Path: "/ok", Domain: "example.org", Response: "example.org is"}, ""},
		"address":           {simcloud.HealthCheck{Protocol: https, Path: "/ok", VerifyCertificate: true}, "certificate is valid for"},
	} {
		w.b.Apply(nil)
		step.check.Port = map[simcloud.HealthCheckProtocol]int{http: plain, https: secure}[step.check.Protocol]
		step.check.TimeoutSeconds = 60
		w.apply(withCheck(&step.check))
		want := "i-1 healthy"
		if step.reason != "" {
			want = "i-1 unhealthy"
		}
		w.untilHealth(want)
		if got := w.status("tcp").Targets[0].Reason; !strings.Contains(got, step.reason) || (got == "") != (step.reason == "") {
			t.Errorf("%s: the reason is %q, want %q", name, got, step.reason)
		}
	}
}
