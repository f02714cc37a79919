package process_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestFreePorts: ports differ, and none is in use. This process holds many itself, since
// another one may take a port at any moment.
func TestFreePorts(t *testing.T) {
	held := map[int]bool{}
	for len(held) < 500 {
		port, err := process.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue // another process was faster
		}
		defer func() { _ = ln.Close() }()
		held[port] = true
	}
	for range 40 {
		ports, err := process.FreePorts(10)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(ports)
		if len(slices.Compact(slices.Clone(ports))) != 10 {
			t.Errorf("not 10 different ports: %v", ports)
		}
		for _, port := range ports {
			if held[port] {
				t.Errorf("port %d is in use", port)
			}
		}
	}
}

// TestFreePortsWaitForForks: a child that is being forked would hold on to the ports.
func TestFreePortsWaitForForks(t *testing.T) {
	syscall.ForkLock.Lock()
	unlock := sync.OnceFunc(syscall.ForkLock.Unlock)
	defer unlock()
	done := make(chan error, 1)
	go func() {
		_, err := process.FreePorts(10)
		done <- err
	}()
	waittest.For(t, "FreePorts waits for the fork, or ends", func() bool {
		return len(done) > 0 || waitsForFork()
	})
	if len(done) > 0 {
		t.Error("FreePorts opened ports during a fork")
	}
	unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// waitsForFork reports whether a goroutine is blocked in FreePorts on a lock.
func waitsForFork() bool {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return slices.ContainsFunc(strings.Split(string(stacks), "\n\n"), func(stack string) bool {
		return strings.Contains(stack, "process.FreePorts(") && strings.Contains(stack, "RLock")
	})
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
