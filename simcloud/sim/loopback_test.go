package sim_test

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestLoopback: a cloud with another address answers at 127.0.0.1 too, also when it was opened again, until it is closed.
func TestLoopback(t *testing.T) {
	t.Parallel()
	config := sim.Config{Data: filepath.Join(t.TempDir(), "cloud.db"), Listen: "127.0.0.2:0", Loopback: true}
	cloud, err := sim.Open(t.Context(), config)
	for errors.Is(err, syscall.EADDRINUSE) { // at 127.0.0.1, by another test
		cloud, err = sim.Open(t.Context(), config)
	}
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(cloud.URL(), "127.0.0.2", "127.0.0.1", 1); !strings.HasPrefix(cloud.URL(), "http://127.0.0.2:") || cloud.LocalURL() != want {
		t.Errorf("it is at %s and locally at %s, want %s", cloud.URL(), cloud.LocalURL(), want)
	}
	answers := func(want bool, urls ...string) {
		t.Helper()
		for _, url := range urls {
			answer, err := http.Get(url + "/healthz") //nolint:noctx // it answers, or nothing listens
			if err == nil {
				_ = answer.Body.Close()
			}
			if got := err == nil && answer.StatusCode == http.StatusOK; got != want {
				t.Errorf("%s answers: %t, want %t: %v", url, got, want, err)
			}
		}
	}
	answers(true, cloud.URL(), cloud.LocalURL())
	next, err := cloud.Reopen(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if next.LocalURL() != cloud.LocalURL() {
		t.Errorf("it is at %s again, and was at %s", next.LocalURL(), cloud.LocalURL())
	}
	answers(true, next.URL(), next.LocalURL())
	if err := next.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	answers(false, next.URL(), next.LocalURL())
}

// TestLoopbackTaken: a port that is taken at 127.0.0.1 is an error, and leaves no listener behind.
func TestLoopbackTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // nothing to wait for
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	config := sim.Config{Ephemeral: true, Listen: "127.0.0.2:" + port, Loopback: true}
	if _, err := sim.Open(t.Context(), config); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v, want that the address is taken", err)
	}
	config.Loopback = false
	cloud, err := sim.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if cloud.LocalURL() != cloud.URL() {
		t.Errorf("it is locally at %s, want %s", cloud.LocalURL(), cloud.URL())
	}
	if err := cloud.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
