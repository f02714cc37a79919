package sim

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

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
