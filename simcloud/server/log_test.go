package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// logged is a log that a test reads while it is written.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// serveLogged is a server whose log has JSON.
func serveLogged(t *testing.T, level slog.Level) (*serving, *logged) {
	t.Helper()
	log := &logged{}
	s := serve(t, func(cfg *server.Config) {
		cfg.Log = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: level}))
	})
	s.cloud.create = func(simcloud.InstanceSpec, simcloud.CallOptions) (simcloud.Result[simcloud.Instance], error) {
		return simcloud.Result[simcloud.Instance]{Resource: machine("i-9")}, nil
	}
	s.cloud.get = func(context.Context, simcloud.ID) (simcloud.Instance, error) {
		return simcloud.Instance{}, errors.New("the disk is on fire")
	}
	return s, log
}

// lines returns the lines of the log, without what differs from run to run.
func (l *logged) lines(t *testing.T) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(l.String()) {
		var attrs map[string]any
		if err := json.Unmarshal([]byte(line), &attrs); err != nil {
			t.Fatal(err)
		}
		if took, ok := attrs["took"].(float64); !ok || took <= 0 {
			t.Errorf("took %v", attrs["took"])
		}
		for _, name := range []string{"time", "took", "userAgent"} {
			delete(attrs, name)
		}
		all = append(all, attrs)
	}
	return all
}

// TestLog: each request has a line that says who did what and how it ended.
func TestLog(t *testing.T) {
	t.Parallel()
	s, log := serveLogged(t, slog.LevelDebug)
	s.send(t, "POST", "/v1/instances", `{"name":"a"}`, "Simcloud-Request-Id", "mine")
	s.send(t, "POST", "/v1/instances", `{"name":1}`)
	s.send(t, "GET", "/v1/instances/i-7", "")
	line := func(level, request, operation, resource string, status float64, code string) map[string]any {
		return map[string]any{
			"level": level, "msg": "request", "request": request, "operation": operation, "resource": resource,
			"status": status, "code": code, "token": "tok-1", "project": "default",
		}
	}
	want := []map[string]any{
		line("DEBUG", "mine", "CreateInstance", "instance/i-9", 201, ""),
		line("DEBUG", "req-1", "CreateInstance", "instance", 422, "invalid"),
		line("ERROR", "req-2", "GetInstance", "instance/i-7", 500, "internal"),
	}
	want[1]["error"] = "invalid: the request has invalid fields: name"
	want[2]["error"] = "the disk is on fire"
	if diff := cmp.Diff(want, log.lines(t)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// TestLogLevel: without being asked, the log has defects alone.
func TestLogLevel(t *testing.T) {
	t.Parallel()
	s, log := serveLogged(t, slog.LevelInfo)
	s.send(t, "POST", "/v1/instances", `{"name":"a"}`)
	s.send(t, "GET", "/v1/instances/i-7", "")
	if lines := log.lines(t); len(lines) != 1 || lines[0]["operation"] != "GetInstance" {
		t.Errorf("log %v", lines)
	}
}

// TestLogHasNoSecrets: neither tokens nor what bodies and queries hold are logged, whatever is wrong with them.
func TestLogHasNoSecrets(t *testing.T) {
	t.Parallel()
	s, log := serveLogged(t, slog.LevelDebug)
	const secret = "hush-hush"
	for _, body := range []string{
		`{"name":"a","userData":"` + secret + `"}`,
		`{"name":"a","` + secret + `":1}`, // the name of a field is no secret, but then what is?
		`{"name":` + secret + `}`,
		secret,
	} {
		s.send(t, "POST", "/v1/instances", body)
	}
	s.send(t, "POST", "/v1/instances", "{}", "Authorization", "Bearer "+secret)
	s.send(t, "GET", "/v1/instances?pageSize="+secret, "")
	s.send(t, "POST", "/v1/instances", "{}", "Idempotency-Key", secret, "If-Match", secret)
	text := strings.ReplaceAll(log.String(), "invalid fields: "+secret, "")
	if strings.Contains(text, secret) || len(log.lines(t)) != 7 {
		t.Errorf("the log has a secret, or not every request:\n%s", log.String())
	}
	entries, err := s.journal.ListJournal(t.Context(), simcloud.JournalFilter{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(entries)
	if err != nil || strings.Contains(string(raw), secret) {
		t.Errorf("the journal has a secret: %s, %v", raw, err)
	}
}
