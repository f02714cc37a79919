package sim

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func openForTest(t *testing.T) *Cloud {
	t.Helper()
	cloud, err := Open(t.Context(), Config{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Close(context.WithoutCancel(t.Context())) })
	return cloud
}

// TestDone: whoever waits for the cloud hears of it when it ends by itself.
func TestDone(t *testing.T) {
	t.Parallel()
	cloud := openForTest(t)
	if err := cloud.Err(); err != nil {
		t.Errorf("Err() = %v while it serves", err)
	}
	if err := cloud.listener.Close(); err != nil {
		t.Fatal(err)
	}
	<-cloud.Done()
	if err := cloud.Err(); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("Err() = %v, want Unavailable", err)
	}

	closed := openForTest(t)
	if err := closed.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-closed.Done()
	if err := closed.Err(); err != nil {
		t.Errorf("Err() = %v after Close", err)
	}
}

// TestListenAgain: who gives up on an address that stays taken hears which.
func TestListenAgain(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	address := taken.Addr().String()
	if _, err := (Config{}).listenAgain(ctx, address); !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), address+" is taken") {
		t.Errorf("got %v, want one that says that %s is taken", err, address)
	}
}

// TestReadyz: a cloud whose data file cannot be read is alive and not ready.
func TestReadyz(t *testing.T) {
	t.Parallel()
	cloud := openForTest(t)
	status := func(path string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cloud.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode
	}
	if got := status("/readyz"); got != http.StatusOK {
		t.Errorf("readyz: %d, want 200", got)
	}
	if err := cloud.core.Close(); err != nil {
		t.Fatal(err)
	}
	if got := status("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("readyz without a data file: %d, want 503", got)
	}
	if got := status("/healthz"); got != http.StatusOK {
		t.Errorf("healthz: %d, want 200: to restart it would not help", got)
	}
}

// TestSilentConns: what has not sent a byte when the server shuts down is
// closed, as is what comes later; what has sent one is the server's concern.
func TestSilentConns(t *testing.T) {
	t.Parallel()
	srv := newHTTPServer(t.Context(), http.NotFoundHandler(), Limits{}, slog.New(slog.DiscardHandler))
	silent, itsClient := connPair(t)
	srv.ConnState(silent, http.StateNew)
	busy, _ := connPair(t)
	srv.ConnState(busy, http.StateNew)
	srv.ConnState(busy, http.StateActive)
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantClosed(t, "silent when it shuts down", itsClient)
	late, itsClient := connPair(t)
	srv.ConnState(late, http.StateNew)
	wantClosed(t, "come after that", itsClient)
	if err := busy.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Errorf("a connection that is in use: %v, want it open", err)
	}
}

func connPair(t *testing.T) (server, client net.Conn) {
	t.Helper()
	server, client = net.Pipe()
	t.Cleanup(func() { _, _ = server.Close(), client.Close() })
	return server, client
}

func wantClosed(t *testing.T, what string, client net.Conn) {
	t.Helper()
	giveUp := time.AfterFunc(time.Minute, func() { _ = client.Close() })
	defer giveUp.Stop()
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("%s: got %v, want it closed", what, err)
	}
}
