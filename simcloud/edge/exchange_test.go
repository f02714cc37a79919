package edge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

// exchange returns what the latest call sent and got, as the journal has it.
func (l *lab) exchange() *simcloud.Exchange {
	l.t.Helper()
	entries, err := l.edge.Journal.ListJournal(l.t.Context(), simcloud.JournalFilter{Bodies: true})
	if err != nil || len(entries) == 0 || entries[len(entries)-1].Exchange == nil {
		l.t.Fatalf("the journal has %v, %v", entries, err)
	}
	return entries[len(entries)-1].Exchange
}

// TestExchange: the journal has the request and the response of each call, without secrets, and
// neither the caller nor the handler gets another body for it.
func TestExchange(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	const secret = "hunter2-hunter2"
	w := l.ask(run+"&X-Signature="+secret, "Name=second&UserData="+secret)
	l.want(w, http.StatusOK, "<Name>second</Name>")
	if len(l.cloud.made) != 1 || l.cloud.made[0] != "second" {
		t.Errorf("the handler has read %q", l.cloud.made)
	}
	e := l.exchange()
	if want := "POST /api?Action=RunMachine&X-Signature=[redacted]"; e.Request != want {
		t.Errorf("the request is %q, want %q", e.Request, want)
	}
	if want := (simcloud.Body{Type: "application/x-www-form-urlencoded", Size: 36, Text: "Name=second&UserData=[redacted]"}); e.Sent == nil || *e.Sent != want {
		t.Errorf("sent %+v, want %+v", e.Sent, want)
	}
	if want := (simcloud.Body{Type: "text/xml", Size: w.Body.Len(), Text: w.Body.String()}); e.Got == nil || *e.Got != want {
		t.Errorf("got %+v, want %+v", e.Got, want)
	}
	if plain := l.entry(); plain.Exchange != nil {
		t.Error("a list has bodies that were not asked for")
	}
	l.want(l.ask(describe, "", "X-Secret", secret), http.StatusBadRequest)
	if e := l.exchange(); e.Sent != nil || e.Got == nil || strings.Contains(e.Got.Text, secret) {
		t.Errorf("a stranger's call is recorded as %+v", e)
	}
}

// TestExchangeIsCut: of a long body the beginning is kept, marked as one, and the handler has all of it.
func TestExchangeIsCut(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	name := strings.Repeat("n", simcloud.BodyLimit)
	l.want(l.ask(run, "Name="+name), http.StatusOK, "<Name>"+name+"</Name>")
	e := l.exchange()
	if want := ("Name=" + name)[:simcloud.BodyLimit]; e.Sent.Text != want || !e.Sent.Cut || e.Sent.Size != len(name)+5 {
		t.Errorf("sent %d of %d bytes, cut %v", len(e.Sent.Text), e.Sent.Size, e.Sent.Cut)
	}
	if len(e.Got.Text) != simcloud.BodyLimit || !e.Got.Cut || e.Got.Size <= len(name) {
		t.Errorf("got %d of %d bytes, cut %v", len(e.Got.Text), e.Got.Size, e.Got.Cut)
	}
	l.want(l.ask(run, ("Name=" + name)[:simcloud.BodyLimit]), http.StatusOK)
	if e := l.exchange(); e.Sent.Cut {
		t.Error("a body that is just as long as is kept is marked as cut")
	}
}

// TestExchangeOfFaults: the response is what the caller got, not what the cloud would have answered.
func TestExchangeOfFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		effect string
		want   func(got *simcloud.Body, w *httptest.ResponseRecorder) bool
	}{
		"a proxy's page": {`{"garble":{"body":"html"}}`, func(got *simcloud.Body, w *httptest.ResponseRecorder) bool {
			return got != nil && got.Type == "text/html" && got.Text == w.Body.String() && strings.Contains(got.Text, "502 Bad Gateway")
		}},
		"half an answer": {`{"garble":{"body":"truncated"}}`, func(got *simcloud.Body, w *httptest.ResponseRecorder) bool {
			return got != nil && got.Text == w.Body.String() && !strings.Contains(got.Text, "</Machine>")
		}},
		"no body": {`{"garble":{"body":"empty"}}`, func(got *simcloud.Body, _ *httptest.ResponseRecorder) bool { return got == nil }},
		"an error": {`{"error":{"code":"locked"}}`, func(got *simcloud.Body, w *httptest.ResponseRecorder) bool {
			return got != nil && got.Text == w.Body.String() && strings.Contains(got.Text, "<Error>")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.add(`{"match":{"operation":"CreateInstance"},"effect":` + test.effect + `}`)
			w := l.ask(run, "Name=second")
			if e := l.exchange(); e.Sent == nil || !test.want(e.Got, w) {
				t.Errorf("got %+v, want what the caller got: %s", e.Got, w.Body)
			}
		})
	}
}

// TestExchangeOfALostAnswer: a caller that gets no answer has none in the journal, although the operation has happened.
func TestExchangeOfALostAnswer(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"match":{"operation":"CreateInstance"},"effect":{"reset":{"when":"after"}}}`)
	server := httptest.NewServer(l.handler)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api?"+run, strings.NewReader("Name=second"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Secret", "s3cret")
	if res, err := http.DefaultClient.Do(r); err == nil {
		_ = res.Body.Close()
		t.Fatal("the answer was not lost")
	}
	if e, entry := l.exchange(), l.entry(); e.Got != nil || e.Sent == nil || !entry.Committed {
		t.Errorf("a lost answer is recorded as %+v of %+v", e, entry)
	}
}

// TestExchangeOfAGoneCaller: who has gone before the answer has got none.
func TestExchangeOfAGoneCaller(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api?"+describe, nil)
	r.Header.Set("X-Secret", "s3cret")
	l.handler.ServeHTTP(httptest.NewRecorder(), r)
	if e := l.exchange(); e.Got != nil || e.Request == "" {
		t.Errorf("it is recorded as %+v", e)
	}
}

// BenchmarkCall is what a call costs without a network, with a body each way.
func BenchmarkCall(b *testing.B) {
	l := newBenchLab(b)
	form := "Name=second&UserData=" + strings.Repeat("x", 200)
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/api?"+run, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Secret", "s3cret")
		l.ServeHTTP(httptest.NewRecorder(), r)
	}
}

func newBenchLab(b *testing.B) http.Handler {
	b.Helper()
	c := &cloud{}
	return edge.New(edge.Config{Journal: journal.New(0, time.Now), Auth: c}).Handler(foreign{c})
}
