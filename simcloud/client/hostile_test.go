package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// dial returns a client for the endpoint that retries without waiting.
func dial(t *testing.T, endpoint string, configure ...func(*client.Config)) *client.Client {
	t.Helper()
	cfg := client.Config{Endpoint: endpoint, Token: "t", Backoff: time.Microsecond}
	for _, fn := range configure {
		fn(&cfg)
	}
	return simtest.Dial(t, cfg)
}

// noRetries lets each call have one attempt.
func noRetries(cfg *client.Config) { cfg.Retries = -1 }

// hostile serves one answer to everything.
func hostile(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return srv.URL
}

// answer is a handler that answers this.
func answer(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if media != "" {
			w.Header().Set("Content-Type", media)
		} else {
			w.Header()["Content-Type"] = nil
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// calls are operations of each shape; each must end in an error when the answer is not the cloud's.
var calls = map[string]func(context.Context, *client.Client) error{
	"get": func(ctx context.Context, c *client.Client) error { _, err := c.GetInstance(ctx, "i-1"); return err },
	"list": func(ctx context.Context, c *client.Client) error {
		_, err := c.ListInstances(ctx, simcloud.ListOptions{})
		return err
	},
	"list all": func(ctx context.Context, c *client.Client) error {
		_, err := simcloud.ListAll(ctx, c.ListLoadBalancers, simcloud.ListOptions{})
		return err
	},
	"create": func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}, simcloud.IdempotencyKey("k"))
		return err
	},
	"verb":   func(ctx context.Context, c *client.Client) error { _, err := c.StopInstance(ctx, "i-1"); return err },
	"delete": func(ctx context.Context, c *client.Client) error { _, err := c.DeleteInstance(ctx, "i-1"); return err },
	"part": func(ctx context.Context, c *client.Client) error {
		_, err := c.DeleteRoute(ctx, "rt-1", "r-1")
		return err
	},
	"wait":      func(ctx context.Context, c *client.Client) error { _, err := c.WaitOperation(ctx, "op-1"); return err },
	"state":     func(ctx context.Context, c *client.Client) error { _, err := c.GetState(ctx); return err },
	"reset":     func(ctx context.Context, c *client.Client) error { return c.Reset(ctx) },
	"get clock": func(ctx context.Context, c *client.Client) error { _, err := c.GetClock(ctx); return err },
	"set clock": func(ctx context.Context, c *client.Client) error {
		_, err := c.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockReal})
		return err
	},
	"advance": func(ctx context.Context, c *client.Client) error { _, err := c.AdvanceClock(ctx, 1); return err },
	"journal": func(ctx context.Context, c *client.Client) error {
		_, err := c.ListJournal(ctx, simcloud.JournalFilter{})
		return err
	},
	"call of the journal": func(ctx context.Context, c *client.Client) error {
		_, err := c.GetJournalEntry(ctx, "1")
		return err
	},
	"clear": func(ctx context.Context, c *client.Client) error { return c.ClearJournal(ctx) },
	"call get": func(ctx context.Context, c *client.Client) error {
		_, err := c.Call(ctx, "GetInstance", map[string]any{"id": "i-1"})
		return err
	},
	"call list": func(ctx context.Context, c *client.Client) error {
		_, err := c.Call(ctx, "ListInstances", nil)
		return err
	},
	"call delete": func(ctx context.Context, c *client.Client) error {
		_, err := c.Call(ctx, "DeleteInstance", map[string]any{"id": "i-1"})
		return err
	},
	"events": func(ctx context.Context, c *client.Client) error {
		for _, err := range c.WatchEvents(ctx, 0) {
			if err != nil {
				return err
			}
		}
		return nil
	},
	"follow": func(ctx context.Context, c *client.Client) error {
		for _, err := range c.WatchJournal(ctx, simcloud.JournalFilter{}) {
			if err != nil {
				return err
			}
		}
		return nil
	},
}

// TestForeignAnswers: whatever another server answers, with whatever status, the
// error is Unavailable. NotFound here would delete the Node of a machine that lives.
func TestForeignAnswers(t *testing.T) {
	t.Parallel()
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		w.Header().Set("Content-Length", "500")
		_, _ = io.WriteString(w, `{"items":[],"id":"i-1","resource":{"id":"i-1"},"operation":{"id":"op-1"}}`)
	}
	for name, handler := range map[string]http.HandlerFunc{
		"bare 404":                     answer(404, "", ""),
		"HTML 404":                     answer(404, "text/html", "<html><title>404 Not Found</title>"),
		"JSON 404":                     answer(404, jsonType, `{"code":"not_found","message":"no such instance"}`),
		"problem without a code":       answer(404, problemType, `{"type":"about:blank","title":"Not Found","status":404}`),
		"problem with an empty code":   answer(404, problemType, `{"code":""}`),
		"problem that is no JSON":      answer(404, problemType, `not_found`),
		"problem that is null":         answer(404, problemType, `null`),
		"problem that is cut":          answer(404, problemType, `{"code":"not_found"`),
		"problem that is text":         answer(404, "text/plain", `{"code":"not_found"}`),
		"problem of another media":     answer(404, "application/problem+xml", `{"code":"not_found"}`),
		"problem that is too large":    answer(404, problemType, `{"code":"not_found","detail":"`+strings.Repeat("x", 1<<20)+`"}`),
		"bare 410":                     answer(410, "", ""),
		"login page":                   answer(200, "text/html", "<html>log in"),
		"redirect":                     func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) },
		"empty 200":                    answer(200, "", ""),
		"empty JSON 200":               answer(200, jsonType, ""),
		"no content":                   answer(204, "", ""),
		"null":                         answer(200, jsonType, "null"),
		"empty object":                 answer(200, jsonType, "{}"),
		"empty list":                   answer(200, jsonType, "[]"),
		"null items":                   answer(200, jsonType, `{"items":null,"revision":1}`),
		"item without an id":           answer(200, jsonType, `{"items":[{}],"resource":{},"operation":{},"revision":1}`),
		"no JSON":                      answer(200, jsonType, "ok"),
		"JSON that is cut":             answer(200, jsonType, `{"id":"i-1","items":[{"id":"i-1"`),
		"JSON with something after it": answer(200, jsonType, `{"id":"i-1","items":[]} trailing`),
		"ours as text":                 answer(200, "text/plain", `{"id":"i-1","items":[],"done":true}`),
		"of the wrong types":           answer(200, jsonType, `{"id":1,"items":{},"resource":[],"done":"yes","mode":1,"time":1,"now":1}`),
		"about another resource":       answer(200, jsonType, `{"id":"i-2","state":"running"}`),
		"cut body":                     cut,
	} {
		url := hostile(t, handler)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, url, noRetries)
			for call, do := range calls {
				if foreignIsFine(name, call) {
					continue
				}
				if err := do(t.Context(), c); simcloud.CodeOf(err) != simcloud.Unavailable {
					t.Errorf("%s: got %v, want Unavailable", call, err)
				}
			}
		})
	}
}

// foreignIsFine names the pairs whose answer has all that the operation answers.
func foreignIsFine(answer, call string) bool {
	switch answer {
	case "item without an id":
		return call == "call list"
	case "about another resource": // what it is about is known of a read alone
		return call == "delete" || call == "call get" || call == "call delete"
	default:
		return false
	}
}

// TestUnknownCodes: a code of a newer cloud is kept, and is not another one.
func TestUnknownCodes(t *testing.T) {
	t.Parallel()
	c := dial(t, hostile(t, answer(418, problemType+"; charset=utf-8", `{"code":"teapot","detail":"short and stout","new_field":[1]}`)))
	_, err := c.GetInstance(t.Context(), "i-1")
	var e *simcloud.Error
	if !errors.As(err, &e) || e.Code != "teapot" || e.Message != "short and stout" {
		t.Errorf("got %v, want teapot", err)
	}
}

// TestNewFields: an answer of a newer cloud is still an answer.
func TestNewFields(t *testing.T) {
	t.Parallel()
	c := dial(t, hostile(t, answer(200, jsonType, `{"id":"i-1","state":"levitating","new_field":{}}`)))
	got, err := c.GetInstance(t.Context(), "i-1")
	if err != nil || got.State != "levitating" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestForeignErrorsSayWhatCame: who reads the error sees what was there instead of the cloud.
func TestForeignErrorsSayWhatCame(t *testing.T) {
	t.Parallel()
	c := dial(t, hostile(t, answer(404, "text/html", "<html>\n  <title>nginx</title>"+strings.Repeat("x", 500))), noRetries)
	_, err := c.GetInstance(t.Context(), "i-1")
	for _, want := range []string{"GetInstance", "404", "text/html", "<title>nginx</title>", "127.0.0.1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	if len(err.Error()) > 400 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

// TestBrokenConnections: no answer at all is Unavailable; one that does not come in time is Timeout.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0) // a reset, not a good-bye
			_ = conn.Close()
		}
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	slow := func(cfg *client.Config) { cfg.Retries, cfg.Timeout = -1, 20*time.Millisecond }
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	hangWithin := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		_, _ = io.WriteString(w, `{"id":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	for _, c := range []struct {
		name, url string
		configure func(*client.Config)
		want      simcloud.Code
	}{
		{"reset", hostile(t, hangUp), noRetries, simcloud.Unavailable},
		{"refused", "http://" + closed.Addr().String(), noRetries, simcloud.Unavailable},
		{"not HTTP", "http://" + speaks(t, "SSH-2.0-OpenSSH\r\n"), noRetries, simcloud.Unavailable},
		{"slow", hostile(t, hang), slow, simcloud.Timeout},
		{"slow body", hostile(t, hangWithin), slow, simcloud.Timeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := dial(t, c.url, c.configure).GetInstance(t.Context(), "i-1"); simcloud.CodeOf(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// speaks serves a text to each client that connects, and hangs up.
func speaks(t *testing.T, text string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	return listener.Addr().String()
}

// TestContextErrors: the end of the caller's context is that, and not the cloud's failure.
func TestContextErrors(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	url := hostile(t, func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		if _, err := dial(t, url).GetInstance(ctx, "i-1"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		_, err := dial(t, url).GetInstance(ctx, "i-1")
		if !errors.Is(err, context.DeadlineExceeded) || simcloud.CodeOf(err) != simcloud.Timeout {
			t.Errorf("got %v, want context.DeadlineExceeded", err)
		}
	})
	t.Run("while it waits to retry", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		url := hostile(t, answer(503, problemType, `{"code":"unavailable","retry_after_ms":9000}`))
		c := dial(t, url, func(cfg *client.Config) {
			cfg.Jitter = func() float64 { cancel(); return 0 } // asked for right before the wait
		})
		if _, err := c.GetInstance(ctx, "i-1"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

// FuzzProblem: no error body makes the client fall over, and only one with a code is the cloud's.
func FuzzProblem(f *testing.F) {
	for _, seed := range []string{"", "null", `{"code":"not_found"}`, `{"code":1}`, `{"code":"locked","retry_after_ms":-1,"errors":[{}]}`, `{"retry_after_ms":1e99}`} {
		f.Add(404, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 300 || status > 599 {
			t.Skip("not the status of an error")
		}
		c := dial(t, "http://cloud.test", noRetries, func(cfg *client.Config) {
			cfg.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				rec := httptest.NewRecorder()
				answer(status, problemType, body)(rec, r)
				res := rec.Result()
				res.Request = r
				return res, nil
			})
		})
		_, err := c.GetInstance(t.Context(), "i-1")
		code := simcloud.CodeOf(err)
		if err == nil || code == "" || simcloud.RetryAfter(err) < 0 {
			t.Errorf("status %d, %q: %v", status, body, err)
		}
		if !strings.Contains(body, `"code"`) && !strings.Contains(strings.ToLower(body), "code") && !strings.Contains(body, `\u`) && code != simcloud.Unavailable {
			t.Errorf("status %d, %q: %v, want Unavailable", status, body, err)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
