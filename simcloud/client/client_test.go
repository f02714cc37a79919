package client_test

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

func TestNewErrors(t *testing.T) {
	t.Parallel()
	noPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(noPEM, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		cfg  client.Config
		code simcloud.Code
		says string
	}{
		{"no endpoint", client.Config{}, simcloud.Invalid, "endpoint"},
		{"no scheme", client.Config{Endpoint: "127.0.0.1:8080"}, simcloud.Invalid, "endpoint"},
		{"other scheme", client.Config{Endpoint: "ftp://cloud"}, simcloud.Invalid, "endpoint"},
		{"query", client.Config{Endpoint: "http://cloud?x=1"}, simcloud.Invalid, "endpoint"},
		{"two tokens", client.Config{Endpoint: "http://cloud", Token: "a", TokenFile: "b"}, simcloud.Invalid, "tokenFile"},
		{"no such CA", client.Config{Endpoint: "https://cloud", CA: noPEM + "x"}, simcloud.Unavailable, noPEM + "x"},
		{"no CA", client.Config{Endpoint: "https://cloud", CA: noPEM}, simcloud.Invalid, noPEM},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := client.New(c.cfg)
			if simcloud.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s that says %q", err, c.code, c.says)
			}
		})
	}
}

// TestEndpointWithAPath: a cloud may be behind a prefix; a stray slash is no part of it.
func TestEndpointWithAPath(t *testing.T) {
	t.Parallel()
	var path string
	url := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		answer(200, jsonType, gotInstance)(w, r)
	})
	if err := calls["get"](t.Context(), dial(t, url+"/clouds/a/")); err != nil || path != "/clouds/a/v1/instances/i-1" {
		t.Errorf("path %q, %v", path, err)
	}
}

// TestEmptyIDs are refused here: without the id the path would be another operation's.
func TestEmptyIDs(t *testing.T) {
	t.Parallel()
	asked := false
	c := dial(t, hostile(t, func(http.ResponseWriter, *http.Request) { asked = true }))
	_, get := c.GetInstance(t.Context(), "")
	_, del := c.DeleteListener(t.Context(), "lb-1", "")
	_, call := c.Call(t.Context(), "DeleteInstance", map[string]any{"id": ""})
	for name, err := range map[string]error{"get": get, "part": del, "call": call} {
		if !errors.Is(err, simcloud.Invalid) {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
	if !strings.Contains(del.Error(), "listener") || asked {
		t.Errorf("%v does not name the argument, or the cloud was asked (%v)", del, asked)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(answer(200, jsonType, gotInstance))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	raw := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(ca, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := calls["get"](t.Context(), dial(t, srv.URL, func(cfg *client.Config) { cfg.CA = ca })); err != nil {
		t.Errorf("with the CA: %v", err)
	}
	if err := calls["get"](t.Context(), dial(t, srv.URL, noRetries)); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("without the CA: got %v, want Unavailable", err)
	}
}

// TestTokenFile: a new secret in the file is used, also when the file looks the same as before.
func TestTokenFile(t *testing.T) {
	t.Parallel()
	valid := "one"
	asked := 0
	url := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("Authorization") != "Bearer "+valid {
			problemOf(401, simcloud.Unauthenticated)(w, r)
			return
		}
		answer(200, jsonType, gotInstance)(w, r)
	})
	file := filepath.Join(t.TempDir(), "token")
	write := func(secret string, at time.Time) {
		if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	c := dial(t, url, func(cfg *client.Config) { cfg.Token, cfg.TokenFile = "", file })
	check := func(step string, want error, wantAsked int) {
		t.Helper()
		asked = 0
		if err := calls["get"](t.Context(), c); !errors.Is(err, want) || asked != wantAsked {
			t.Errorf("%s: %v after %d requests; want %v after %d", step, err, asked, want, wantAsked)
		}
	}
	check("no file", simcloud.Unavailable, 0)
	then := time.Unix(1_700_000_000, 0)
	write("one", then)
	check("first", nil, 1)
	valid = "two"
	check("refused", simcloud.Unauthenticated, 1)
	write("two", then.Add(time.Second))
	check("changed", nil, 1)
	valid = "six"
	write("six", then.Add(time.Second)) // same size and time
	check("changed without a trace", nil, 2)
	write("", then)
	check("empty", simcloud.Unavailable, 0)
}

func TestCall(t *testing.T) {
	t.Parallel()
	c := simtest.New(t)
	ctx := t.Context()
	create := func(operation string, args map[string]any) string {
		t.Helper()
		raw, err := c.Call(ctx, operation, args)
		if err != nil {
			t.Fatalf("%s: %v", operation, err)
		}
		return string(raw)
	}
	create("CreateInstance", map[string]any{"name": "node-1", "labels": map[string]any{"a": "b"}})
	create("CreateLoadBalancer", map[string]any{"name": "web"})
	create("CreateListener", map[string]any{"id": "lb-1", "protocol": "tcp", "port": 80, "targetPort": 30080})
	create("UpdateListener", map[string]any{"id": "lb-1", "listener": "tcp-80", "targetPort": 30081})
	create("StopInstance", map[string]any{"id": "i-1"})
	if raw := create("ListInstances", map[string]any{"pageSize": 1, "selector": "a=b"}); !strings.Contains(raw, `"state":"stopped"`) {
		t.Errorf("ListInstances answers %s", raw)
	}
	if raw := create("GetLoadBalancer", map[string]any{"id": simcloud.ID("lb-1")}); !strings.Contains(raw, `"targetPort":30081`) {
		t.Errorf("GetLoadBalancer answers %s", raw)
	}
	create("GetState", nil)
	create("SetClock", map[string]any{"mode": "manual"})
	create("AdvanceClock", map[string]any{"by": "1h"})
	create("Reset", nil)
	for _, bad := range []struct {
		name, operation string
		args            map[string]any
		code            simcloud.Code
		says            string
	}{
		{"unknown operation", "MakeCoffee", nil, simcloud.Invalid, "MakeCoffee"},
		{"stream", "WatchEvents", nil, simcloud.Invalid, "stream"},
		{"missing id", "GetInstance", nil, simcloud.Invalid, "id"},
		{"invalid id", "GetInstance", map[string]any{"id": []any{}}, simcloud.Invalid, "id"},
		{"unknown parameter", "ListInstances", map[string]any{"names": "a"}, simcloud.Invalid, "names"},
		{"invalid parameter", "ListInstances", map[string]any{"name": map[string]any{}}, simcloud.Invalid, "name"},
		{"unknown field", "CreateInstance", map[string]any{"name": "a", "size": 1}, simcloud.Invalid, "size"},
		{"argument of a read", "GetInstance", map[string]any{"id": "i-1", "force": true}, simcloud.Invalid, "force"},
		{"argument of a verb", "DeleteInstance", map[string]any{"id": "i-1", "force": true}, simcloud.Invalid, "force"},
		{"the cloud's own error", "GetInstance", map[string]any{"id": "i-404"}, simcloud.NotFound, "i-404"},
	} {
		if _, err := c.Call(ctx, bad.operation, bad.args); simcloud.CodeOf(err) != bad.code || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: got %v, want %s that says %q", bad.name, err, bad.code, bad.says)
		}
	}
}

// TestWatchEventsEndsWithItsContext without an error: nothing went wrong.
func TestWatchEventsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	c := simtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var errs []error
	for _, err := range c.WatchEvents(ctx, 0) {
		if err != nil {
			errs = append(errs, err)
		}
		cancel()
	}
	if diff := cmp.Diff([]error(nil), errs); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestCutStreams: messages that came whole are yielded, and the cut is Unavailable.
// TestStreamThatLosesItsToken: what was read does not come again with the secret that the file has by now.
func TestStreamThatLosesItsToken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	write := func(secret string) {
		if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
			t.Error(err)
		}
	}
	write("one")
	c := dial(t, hostile(t, func(w http.ResponseWriter, r *http.Request) {
		write("another")
		answer(200, "text/event-stream", "data: {\"revision\":1}\n\nevent: problem\ndata: {\"code\":\"unauthenticated\"}\n\n")(w, r)
	}), func(cfg *client.Config) { cfg.Token, cfg.TokenFile = "", file })
	var seen []uint64
	var last error
	for event, err := range c.WatchEvents(t.Context(), 0) {
		if last = err; err == nil {
			seen = append(seen, event.Revision)
		}
	}
	if len(seen) != 1 || !errors.Is(last, simcloud.Unauthenticated) {
		t.Errorf("events %v, then %v; want one, then Unauthenticated", seen, last)
	}
}

func TestCutStreams(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		seen int
	}{
		"at once":              {"", 0},
		"after a message":      {": hi\n\nid: 1\ndata: {\"revision\":1}\n\n", 1},
		"within a message":     {"id: 1\ndata: {\"revision\":1}\n\nid: 2\ndata: {\"rev", 1},
		"between its lines":    {"id: 1\ndata: {\"revision\":1}\n", 0},
		"no JSON":              {"data: hello\n\n", 0},
		"a foreign problem":    {"event: problem\ndata: {\"status\":404}\n\n", 0},
		"a line without end":   {"data: " + strings.Repeat("x", 17<<20), 0},
		"data in two lines":    {"data: {\"revision\":\ndata: 1}\n\n", 1},
		"other line endings":   {"id: 1\r\ndata: {\"revision\":1}\r\n\r\n", 1},
		"comments alone":       {": a\n\n: b\n\n", 0},
		"fields of the future": {"colour: red\ndata: {\"revision\":1}\n\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := dial(t, hostile(t, answer(200, "text/event-stream", c.body)))
			seen := 0
			var last error
			for event, err := range client.WatchEvents(t.Context(), 0) {
				if last = err; err == nil && event.Revision > 0 {
					seen++
				}
			}
			if seen != c.seen || !errors.Is(last, simcloud.Unavailable) {
				t.Errorf("%d messages, then %v; want %d, then Unavailable", seen, last, c.seen)
			}
		})
	}
}
