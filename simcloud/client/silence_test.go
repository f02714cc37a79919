package client

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestSilentStreamIsCut: a stream without even a heartbeat hangs on a dead connection.
func TestSilentStreamIsCut(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaStream)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	c, err := New(Config{Endpoint: srv.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	c.silence = 20 * time.Millisecond
	for _, err := range c.WatchEvents(t.Context(), 0) {
		if simcloud.CodeOf(err) != simcloud.Unavailable || !strings.Contains(err.Error(), "silent") {
			t.Errorf("got %v, want Unavailable that says why", err)
		}
	}
}

// TestHugeAnswers: what is longer than any answer is not read to its end.
func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	body, err := readLimited(endless{}, 1<<20)
	if err == nil || len(body) > 1<<20+1 {
		t.Errorf("read %d bytes, %v; want an error at the limit", len(body), err)
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '['
	}
	return len(p), nil
}
