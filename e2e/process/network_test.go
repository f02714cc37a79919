package process_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

func TestFreePorts(t *testing.T) {
	t.Parallel()
	ports, err := process.FreePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range ports {
		if seen[port] {
			t.Errorf("port %d twice", port)
		}
		seen[port] = true
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Errorf("not free: %v", err)
			continue
		}
		_ = ln.Close()
	}
}

func TestHTTPReady(t *testing.T) {
	t.Parallel()
	status := http.StatusServiceUnavailable
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintln(w, "etcd is away")
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	ready := process.HTTPReady(server.URL+"/readyz", &tls.Config{RootCAs: roots})

	if err := ready(t.Context()); err == nil || !strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), "etcd is away") {
		t.Errorf("got %v, want the status and the answer", err)
	}
	status = http.StatusOK
	if err := ready(t.Context()); err != nil {
		t.Errorf("200: %v", err)
	}
	if err := process.HTTPReady(server.URL, &tls.Config{})(t.Context()); err == nil {
		t.Error("a server of another CA is ready")
	}
}
