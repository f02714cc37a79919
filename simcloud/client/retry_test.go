package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// moods answers with one handler after the other, and then with the last one again.
type moods struct {
	mu       sync.Mutex
	handlers []http.HandlerFunc
	times    []time.Time
	keys     []string
}

func (m *moods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	n := min(len(m.times), len(m.handlers)-1)
	m.times = append(m.times, time.Now())
	m.keys = append(m.keys, r.Header.Get("Idempotency-Key"))
	m.mu.Unlock()
	m.handlers[n](w, r)
}

func (m *moods) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.times)
}

func problemOf(status int, code simcloud.Code) http.HandlerFunc {
	return answer(status, problemType, fmt.Sprintf(`{"code":%q}`, code))
}

const (
	gotInstance  = `{"id":"i-1"}`
	madeInstance = `{"resource":{"id":"i-1"},"operation":{"id":"op-1"}}`
	gotOperation = `{"id":"op-1"}`
)

// TestRetries counts the attempts: those that may help and cannot harm, and no other.
func TestRetries(t *testing.T) {
	t.Parallel()
	get := calls["get"]
	create := calls["create"]
	createOnce := func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"})
		return err
	}
	update := func(ctx context.Context, c *client.Client) error {
		_, err := c.UpdateInstance(ctx, "i-1", simcloud.InstanceUpdate{})
		return err
	}
	unavailable, limited := problemOf(503, simcloud.Unavailable), problemOf(429, simcloud.RateLimited)
	late := problemOf(504, simcloud.Timeout)
	foreign := answer(404, "text/html", "<html>")
	got, made := answer(200, jsonType, gotInstance), answer(201, jsonType, madeInstance)
	for _, c := range []struct {
		name    string
		call    func(context.Context, *client.Client) error
		answers []http.HandlerFunc
		asked   int
		want    error
	}{
		{"read, second time lucky", get, []http.HandlerFunc{unavailable, got}, 2, nil},
		{"read, rate limited", get, []http.HandlerFunc{limited, limited, got}, 3, nil},
		{"read, timed out", get, []http.HandlerFunc{late, got}, 2, nil},
		{"read, foreign answer", get, []http.HandlerFunc{foreign, got}, 2, nil},
		{"read, never", get, []http.HandlerFunc{unavailable}, 5, simcloud.Unavailable},
		{"read, gone", get, []http.HandlerFunc{problemOf(404, simcloud.NotFound)}, 1, simcloud.NotFound},
		{"read, defect", get, []http.HandlerFunc{problemOf(500, simcloud.Internal)}, 1, simcloud.Internal},
		{"delete", calls["delete"], []http.HandlerFunc{unavailable, answer(200, jsonType, gotOperation)}, 2, nil},
		{"delete, locked", calls["delete"], []http.HandlerFunc{problemOf(423, simcloud.Locked)}, 1, simcloud.Locked},
		{"create with a key", create, []http.HandlerFunc{unavailable, foreign, made}, 3, nil},
		{"create with a key, conflict", create, []http.HandlerFunc{problemOf(412, simcloud.Conflict)}, 1, simcloud.Conflict},
		{"create without a key", createOnce, []http.HandlerFunc{unavailable, made}, 1, simcloud.Unavailable},
		{"create without a key, rate limited", createOnce, []http.HandlerFunc{limited, made}, 1, simcloud.RateLimited},
		{"update", update, []http.HandlerFunc{unavailable, made}, 1, simcloud.Unavailable},
		{"verb", calls["verb"], []http.HandlerFunc{unavailable, made}, 1, simcloud.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &moods{handlers: c.answers}
			err := c.call(t.Context(), dial(t, hostile(t, m.ServeHTTP)))
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if m.asked() != c.asked {
				t.Errorf("%d attempts, want %d", m.asked(), c.asked)
			}
			for _, key := range m.keys[1:] {
				if key != m.keys[0] {
					t.Errorf("the keys of the attempts are %q", m.keys)
				}
			}
		})
	}
}

// TestRetryAfter: the cloud says when to come back, and no retry comes before.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	t.Run("short", func(t *testing.T) {
		t.Parallel()
		m := &moods{handlers: []http.HandlerFunc{
			answer(429, problemType, `{"code":"rate_limited","retry_after_ms":60}`), answer(200, jsonType, gotInstance),
		}}
		if err := calls["get"](t.Context(), dial(t, hostile(t, m.ServeHTTP))); err != nil {
			t.Fatal(err)
		}
		if waited := m.times[1].Sub(m.times[0]); waited < 60*time.Millisecond {
			t.Errorf("came back after %s, the cloud asked for 60ms", waited)
		}
	})
	t.Run("longer than the client waits", func(t *testing.T) {
		t.Parallel()
		m := &moods{handlers: []http.HandlerFunc{answer(429, problemType, `{"code":"rate_limited","retry_after_ms":3600000}`)}}
		err := calls["get"](t.Context(), dial(t, hostile(t, m.ServeHTTP)))
		if simcloud.RetryAfter(err) != time.Hour || m.asked() != 1 {
			t.Errorf("got %v after %d attempts; want one, and the hour", err, m.asked())
		}
	})
}

// TestARefusalAfterNoAnswer has both codes, the refusal's first: what was not
// answered may have been done. A read has done nothing.
func TestARefusalAfterNoAnswer(t *testing.T) {
	t.Parallel()
	for name, both := range map[string]bool{"create": true, "delete": true, "get": false} {
		m := &moods{handlers: []http.HandlerFunc{answer(502, "text/html", "<h1>Bad gateway</h1>"), problemOf(403, simcloud.QuotaExceeded)}}
		c := dial(t, hostile(t, m.ServeHTTP), func(cfg *client.Config) { cfg.Backoff = time.Millisecond })
		err := calls[name](t.Context(), c)
		if simcloud.CodeOf(err) != simcloud.QuotaExceeded || errors.Is(err, simcloud.Unavailable) != both {
			t.Errorf("%s: %v (%s), want the refusal, and with it what was not answered: %v", name, err, simcloud.CodeOf(err), both)
		}
	}
}

// TestBackoffGrows: without a word of the cloud the waits double, spread by the jitter; and who wants to know is told.
func TestBackoffGrows(t *testing.T) {
	t.Parallel()
	m := &moods{handlers: []http.HandlerFunc{problemOf(503, simcloud.Unavailable)}}
	jitters, retried := 0, 0
	c := dial(t, hostile(t, m.ServeHTTP), func(cfg *client.Config) {
		cfg.Retries, cfg.Backoff = 3, 8*time.Millisecond
		cfg.Jitter = func() float64 { jitters++; return 0.5 }
		cfg.Retried = func(operation string, err error) {
			if operation == "GetInstance" && errors.Is(err, simcloud.Unavailable) {
				retried++
			}
		}
	})
	if err := calls["get"](t.Context(), c); !errors.Is(err, simcloud.Unavailable) {
		t.Fatal(err)
	}
	var tooSoon []int
	for i, wait := range []time.Duration{6, 12, 24} { // 0.75 of 8, 16 and 32 ms
		if m.times[i+1].Sub(m.times[i]) < wait*time.Millisecond {
			tooSoon = append(tooSoon, i+1)
		}
	}
	if len(tooSoon) > 0 || jitters != 3 || retried != 3 {
		t.Errorf("retries %v came too soon; of 3, %d had jitter and %d were told of", tooSoon, jitters, retried)
	}
}

// TestNegativeRetries: one attempt it is.
func TestNegativeRetries(t *testing.T) {
	t.Parallel()
	m := &moods{handlers: []http.HandlerFunc{problemOf(503, simcloud.Unavailable)}}
	_ = calls["get"](t.Context(), dial(t, hostile(t, m.ServeHTTP), noRetries))
	if diff := cmp.Diff(1, m.asked()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

// TestDeletionKeys: the attempts of one deletion have one key, each deletion
// has another, and the caller's own is used if there is one.
func TestDeletionKeys(t *testing.T) {
	t.Parallel()
	lost, done := problemOf(503, simcloud.Unavailable), answer(200, jsonType, gotOperation)
	m := &moods{handlers: []http.HandlerFunc{lost, done}}
	c := dial(t, hostile(t, m.ServeHTTP))
	for _, opts := range [][]simcloud.CallOption{nil, nil, {simcloud.IdempotencyKey("mine")}} {
		if _, err := c.DeleteInstance(t.Context(), "i-1", opts...); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.keys) != 4 || m.keys[0] == "" || m.keys[1] != m.keys[0] || m.keys[2] == "" || m.keys[2] == m.keys[0] || m.keys[3] != "mine" {
		t.Errorf("the keys are %q", m.keys)
	}
}
