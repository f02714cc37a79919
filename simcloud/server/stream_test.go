package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// eventsFrom is a stream of endless events that ends with ctx.
func eventsFrom(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return func(yield func(simcloud.Event, error) bool) {
		for revision := after + 1; ctx.Err() == nil; revision++ {
			if !yield(simcloud.Event{Revision: revision, Object: json.RawMessage(`{}`)}, nil) {
				return
			}
		}
	}
}

// silence is a stream that yields nothing until ctx ends.
func silence(ctx context.Context, _ uint64) iter.Seq2[simcloud.Event, error] {
	return func(func(simcloud.Event, error) bool) { <-ctx.Done() }
}

// lines opens a stream and returns its first lines of each of these beginnings.
func lines(t *testing.T, s *serving, path string, prefixes []string, headers ...string) []string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer admin")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("Content-Type is %q", got)
	}
	var found []string
	scan := bufio.NewScanner(res.Body)
	for len(found) < len(prefixes) && scan.Scan() {
		if strings.HasPrefix(scan.Text(), prefixes[len(found)]) {
			found = append(found, scan.Text())
		}
	}
	return found
}

func TestEventsResume(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.events = eventsFrom
	for _, c := range []struct {
		name, path string
		headers    []string
		first      string
	}{
		{"from the start", "/v1/events", nil, "id: 1"},
		{"after", "/v1/events?after=41", nil, "id: 42"},
		{"last event", "/v1/events", []string{"Last-Event-ID", "41"}, "id: 42"},
		{"a browser that was cut off", "/v1/events?after=7", []string{"Last-Event-ID", "41"}, "id: 42"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := lines(t, s, c.path, []string{"id:"}, c.headers...)
			if diff := cmp.Diff([]string{c.first}, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSilentStreamsLive(t *testing.T) {
	t.Parallel()
	s := serve(t, func(cfg *server.Config) { cfg.Heartbeat = time.Millisecond })
	s.cloud.events = silence
	want := []string{": simcloud", ": heartbeat", ": heartbeat"}
	if diff := cmp.Diff(want, lines(t, s, "/v1/events", want)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestStreamErrors: the last word of a stream is a problem, which the client gets as its error.
func TestStreamErrors(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.events = func(context.Context, uint64) iter.Seq2[simcloud.Event, error] {
		return func(yield func(simcloud.Event, error) bool) {
			yield(simcloud.Event{Revision: 3}, nil)
			yield(simcloud.Event{}, simcloud.Errorf(simcloud.Conflict, "", "revision 2 is forgotten"))
		}
	}
	var seen []uint64
	var last error
	for event, err := range s.client(t).WatchEvents(t.Context(), 2) {
		if last = err; err == nil {
			seen = append(seen, event.Revision)
		}
	}
	var e *simcloud.Error
	if !errors.As(last, &e) || e.Code != simcloud.Conflict || e.Message != "revision 2 is forgotten" {
		t.Errorf("the stream ended in %v, want Conflict", last)
	}
	if diff := cmp.Diff([]uint64{3}, seen); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestStreamPanics: a defect ends the stream with a problem, and the process goes on.
func TestStreamPanics(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.events = func(context.Context, uint64) iter.Seq2[simcloud.Event, error] {
		return func(func(simcloud.Event, error) bool) { panic("secret") }
	}
	for _, err := range s.client(t).WatchEvents(t.Context(), 0) {
		if !errors.Is(err, simcloud.Internal) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want Internal without its cause", err)
		}
	}
}

// fading knows a token for so many questions.
type fading struct {
	*cloud
	left atomic.Int64
}

func (f *fading) Authenticate(ctx context.Context, secret string) (simcloud.Caller, error) {
	if f.left.Add(-1) < 0 {
		secret = "revoked"
	}
	return f.cloud.Authenticate(ctx, secret)
}

// TestStreamEndsWithItsToken: who has lost the token sees nothing more of the cloud.
func TestStreamEndsWithItsToken(t *testing.T) {
	t.Parallel()
	auth := &fading{cloud: &cloud{}}
	auth.left.Store(3) // one for the request, and two messages
	s := serve(t, func(cfg *server.Config) { cfg.Auth = auth })
	s.cloud.events = eventsFrom
	var seen []uint64
	var last error
	for event, err := range s.client(t).WatchEvents(t.Context(), 7) {
		if last = err; err == nil {
			seen = append(seen, event.Revision)
		}
	}
	if diff := cmp.Diff([]uint64{8, 9}, seen); diff != "" || !errors.Is(last, simcloud.Unauthenticated) {
		t.Errorf("the stream ended in %v, want Unauthenticated; events (-want +got):\n%s", last, diff)
	}
}

// TestStreamEndsWithItsClient: when the client goes, so does the reader of the
// cloud, and the journal has no error for it.
func TestStreamEndsWithItsClient(t *testing.T) {
	t.Parallel()
	s := serve(t)
	ended := make(chan struct{})
	s.cloud.events = func(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
		return func(yield func(simcloud.Event, error) bool) {
			defer close(ended)
			yield(simcloud.Event{Revision: 1, Object: json.RawMessage(`{}`)}, nil)
			<-ctx.Done()
		}
	}
	for _, err := range s.client(t).WatchEvents(t.Context(), 0) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	<-ended
	for entry, err := range s.journal.WatchJournal(t.Context(), simcloud.JournalFilter{}) {
		if err != nil || entry.Operation != "WatchEvents" || entry.Code != "" || entry.Status != http.StatusOK {
			t.Errorf("journal: %+v, %v", entry, err)
		}
		break
	}
}

// TestWatchJournal follows the journal through the server that writes it.
func TestWatchJournal(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.get = func(_ context.Context, id simcloud.ID) (simcloud.Instance, error) { return machine(id), nil }
	c := s.client(t)
	if _, err := c.GetInstance(t.Context(), "i-1"); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for entry, err := range c.WatchJournal(t.Context(), simcloud.JournalFilter{Resource: "instance/*"}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, entry.Resource); len(seen) == 3 {
			break
		}
		if _, err := c.GetInstance(t.Context(), simcloud.ID("i-"+strings.Repeat("2", len(seen)))); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"instance/i-1", "instance/i-2", "instance/i-22"}, seen); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	for filter, want := range map[simcloud.JournalFilter]int{
		{Project: "default"}: 3, {Project: "other"}: 0, {Code: simcloud.NotFound}: 0, {Fault: "*"}: 0, {Fault: "fault-1"}: 0,
	} {
		filter.Operation = "GetInstance"
		if entries, err := c.ListJournal(t.Context(), filter); err != nil || len(entries) != want {
			t.Errorf("%+v: %d calls, %v", filter, len(entries), err)
		}
	}
	_, err := c.ListJournal(t.Context(), simcloud.JournalFilter{Code: "frob"})
	if simcloud.CodeOf(err) != simcloud.Invalid {
		t.Errorf("an unknown code: %v", err)
	}
	if err := c.ClearJournal(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := c.ListJournal(t.Context(), simcloud.JournalFilter{Operation: "GetInstance"})
	if err != nil || len(entries) != 0 {
		t.Errorf("after a clear: %v, %v", entries, err)
	}
}
