package process_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// TestFreePorts starts programs meanwhile, each of which is a copy of this process for a moment.
func TestFreePorts(t *testing.T) {
	quit := make(chan struct{})
	var forks sync.WaitGroup
	defer forks.Wait()
	defer close(quit)
	for range 4 {
		forks.Go(func() {
			for {
				select {
				case <-quit:
					return
				default:
					_ = exec.Command("/bin/true").Run()
				}
			}
		})
	}
	for range 20 {
		ports, err := process.FreePorts(10)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(ports)
		if len(slices.Compact(slices.Clone(ports))) != 10 {
			t.Errorf("not 10 different ports: %v", ports)
		}
		for _, port := range ports {
			conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err == nil {
				t.Errorf("somebody listens on %d", port)
				_ = conn.Close()
			}
		}
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
	says := process.HTTPSays(server.URL, "etcd is here", &tls.Config{RootCAs: roots})
	status = http.StatusOK
	if err := ready(t.Context()); err != nil {
		t.Errorf("200: %v", err)
	}
	if err := says(t.Context()); err == nil || !strings.Contains(err.Error(), "etcd is here") {
		t.Errorf("got %v, want an error with what is missing", err)
	}
	if err := process.HTTPSays(server.URL, "etcd is away", &tls.Config{RootCAs: roots})(t.Context()); err != nil {
		t.Errorf("an answer with the text: %v", err)
	}
	if err := process.HTTPReady(server.URL, &tls.Config{})(t.Context()); err == nil {
		t.Error("a server of another CA is ready")
	}
}
