package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
	"github.com/simcloud-dev/simcloud/simcloud/server"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// cloud answers what a test wants; it exists to force errors that the real one would not have.
type cloud struct {
	simcloud.API
	simcloud.Control
	get    func(context.Context, simcloud.ID) (simcloud.Instance, error)
	create func(simcloud.InstanceSpec, simcloud.CallOptions) (simcloud.Result[simcloud.Instance], error)
	list   func(simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error)
	events func(context.Context, uint64) iter.Seq2[simcloud.Event, error]
	wait   func(context.Context, simcloud.ID) (simcloud.Operation, error)
}

func (c *cloud) GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	return c.get(ctx, id)
}

func (c *cloud) CreateInstance(_ context.Context, spec simcloud.InstanceSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return c.create(spec, simcloud.Options(opts))
}

func (c *cloud) ListInstances(_ context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	return c.list(opts)
}

func (c *cloud) StartInstance(_ context.Context, id simcloud.ID, _ ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return simcloud.Result[simcloud.Instance]{Resource: machine(id)}, nil
}

func (c *cloud) WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return c.events(ctx, after)
}

func (c *cloud) WaitOperation(ctx context.Context, id simcloud.ID) (simcloud.Operation, error) {
	return c.wait(ctx, id)
}

func machine(id simcloud.ID) simcloud.Instance {
	return simcloud.Instance{Meta: simcloud.Meta{ID: id, Name: "node-1", Version: 7}}
}

// Authenticate knows a secret for each role, which is its name.
func (c *cloud) Authenticate(_ context.Context, secret string) (simcloud.Caller, error) {
	switch role := simcloud.Role(secret); role {
	case simcloud.RoleAdmin:
		return simcloud.Caller{Token: "tok-1", Project: simcloud.DefaultProject, Role: role}, nil
	case simcloud.RoleReader:
		return simcloud.Caller{Token: "tok-2", Project: simcloud.DefaultProject, Role: role}, nil
	default:
		return simcloud.Caller{}, simcloud.Errorf(simcloud.Unauthenticated, "", "there is no such token")
	}
}

// serving is a server with a cloud behind it.
type serving struct {
	*httptest.Server
	cloud   *cloud
	journal *journal.Journal
}

func serve(t *testing.T, configure ...func(*server.Config)) *serving {
	t.Helper()
	s := &serving{cloud: &cloud{}, journal: journal.New(0, time.Now)}
	cfg := server.Config{API: s.cloud, Control: s.cloud, Config: edge.Config{Journal: s.journal, Auth: s.cloud}}
	for _, fn := range configure {
		fn(&cfg)
	}
	s.Server = httptest.NewServer(server.New(cfg))
	t.Cleanup(s.Close)
	return s
}

func (s *serving) client(t *testing.T) *client.Client {
	t.Helper()
	return simtest.Dial(t, client.Config{Endpoint: s.URL, Token: "admin", Retries: -1, UserAgent: "test"})
}

// problem is what a client reads of an error.
type problem struct {
	Type, Title, Detail, Code, Resource string
	Status                              int
	RequestID                           string `json:"request_id"`
	RetryAfterMS                        int64  `json:"retry_after_ms"`
	Errors                              []simcloud.FieldError
}

// head is an answer without its body.
type head struct {
	StatusCode int
	Header     http.Header
}

// send sends a request as an admin, unless it says who sends it, and returns the answer with its body.
func (s *serving) send(t *testing.T, method, path, body string, headers ...string) (head, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
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
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return head{res.StatusCode, res.Header}, raw
}

// refused sends a request that must be answered by a problem with this status and code.
func (s *serving) refused(t *testing.T, method, path, body string, status int, code simcloud.Code, headers ...string) problem {
	t.Helper()
	res, raw := s.send(t, method, path, body, headers...)
	var p problem
	if err := json.Unmarshal(raw, &p); err != nil || res.Header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("%s %s: %d %s is no problem: %s", method, path, res.StatusCode, res.Header.Get("Content-Type"), raw)
	}
	if res.StatusCode != status || p.Status != status || p.Code != string(code) {
		t.Errorf("%s %s: status %d, problem %d %s; want %d %s\n%s", method, path, res.StatusCode, p.Status, p.Code, status, code, raw)
	}
	if p.RequestID == "" || p.RequestID != res.Header.Get("Simcloud-Request-Id") {
		t.Errorf("request id %q, header %q", p.RequestID, res.Header.Get("Simcloud-Request-Id"))
	}
	return p
}

// TestEveryCode takes every code through a real server and a real client: what
// comes out is what went in, but for the cause.
func TestEveryCode(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.client(t)
	for _, code := range simcloud.Codes() {
		t.Run(string(code), func(t *testing.T) {
			want := &simcloud.Error{
				Code: code, Resource: "instance/i-1", Message: "it rains", RetryAfter: 1500 * time.Millisecond,
				Fields: []simcloud.FieldError{{Field: "name", Detail: "is wet"}},
			}
			sent := *want
			sent.Err = errors.New("the cause")
			s.cloud.get = func(context.Context, simcloud.ID) (simcloud.Instance, error) {
				return simcloud.Instance{}, fmt.Errorf("read: %w", &sent)
			}
			_, err := c.GetInstance(t.Context(), "i-1")
			var got *simcloud.Error
			if !errors.As(err, &got) || !errors.Is(err, code) {
				t.Fatalf("got %v, want %s", err, code)
			}
			if code == simcloud.Internal {
				want.Message = "the cloud's log says more under this request id"
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(simcloud.Error{}, "RequestID")); diff != "" {
				t.Errorf("the error (-sent +received):\n%s", diff)
			}
			if got.RequestID == "" {
				t.Error("the error has no request id")
			}
		})
	}
}

// TestDefects: what is not the cloud's own error is internal, and the client is not told the cause.
func TestDefects(t *testing.T) {
	t.Parallel()
	for name, get := range map[string]func() error{
		"plain error": func() error { return errors.New("secret path /root") },
		"panic":       func() error { panic("secret path /root") },
		"new code":    func() error { return &simcloud.Error{Code: "rain", Err: errors.New("secret path /root")} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			s.cloud.get = func(context.Context, simcloud.ID) (simcloud.Instance, error) { return simcloud.Instance{}, get() }
			res, raw := s.send(t, "GET", "/v1/instances/i-1", "")
			if res.StatusCode != http.StatusInternalServerError || strings.Contains(string(raw), "secret") {
				t.Errorf("status %d, %s", res.StatusCode, raw)
			}
		})
	}
}

// TestUnknownPaths: a path that is not the cloud's must not look like a resource that is gone.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, path := range []string{"/v1", "/v2/instances/i-1", "/v1/instances/", "/v1/instances/i-1/", "/v1/instances/i-1/halt", "//v1/instances/i-1"} {
		s.refused(t, "GET", path, "", http.StatusNotImplemented, simcloud.Unimplemented)
	}
	s.refused(t, "GET", "/v2", "", http.StatusUnauthorized, simcloud.Unauthenticated, "Authorization", "")
}

// TestUnknownMethods: a path that is there says which methods it has.
func TestUnknownMethods(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, c := range []struct{ method, path, allow string }{
		{"PUT", "/v1/instances/i-1", "GET, PATCH, DELETE"},
		{"DELETE", "/v1/instances", "GET, POST"},
		{"GET", "/_sim/reset", "POST"},
		{"POST", "/healthz", "GET"},
		{"BREW", "/v1/instances/i-1/stop", "POST"},
	} {
		s.refused(t, c.method, c.path, "", http.StatusMethodNotAllowed, simcloud.Unimplemented)
		if res, _ := s.send(t, c.method, c.path, ""); res.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: Allow is %q, want %q", c.method, c.path, res.Header.Get("Allow"), c.allow)
		}
	}
	s.refused(t, "PUT", "/v1/instances/i-1", "", http.StatusUnauthorized, simcloud.Unauthenticated, "Authorization", "")
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.get = func(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
		return simcloud.Instance{Meta: simcloud.Meta{ID: id, Project: simcloud.CallerFrom(ctx).Project, Name: simcloud.CallerFrom(ctx).UserAgent}}, nil
	}
	for _, header := range []string{"", "admin", "Basic admin", "Bearer", "Bearer unknown"} {
		s.refused(t, "GET", "/v1/instances/i-1", "", http.StatusUnauthorized, simcloud.Unauthenticated, "Authorization", header)
	}
	res, _ := s.send(t, "GET", "/v1/instances/i-1", "", "Authorization", "Bearer unknown")
	if got := res.Header.Get("WWW-Authenticate"); got != "Bearer" {
		t.Errorf("WWW-Authenticate is %q", got)
	}
	_, raw := s.send(t, "GET", "/v1/instances/i-1", "", "Authorization", "bearer reader", "User-Agent", "me/1")
	if !strings.Contains(string(raw), `"name":"me/1","project":"default"`) {
		t.Errorf("the cloud was not told who calls: %s", raw)
	}
	for _, e := range simcloud.Endpoints() {
		if strings.HasPrefix(e.Path, "/_sim/") {
			s.refused(t, e.Method, e.Path, "", http.StatusForbidden, simcloud.Forbidden, "Authorization", "Bearer reader")
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if res, raw := s.send(t, "GET", path, "", "Authorization", ""); res.StatusCode != http.StatusOK || len(raw) == 0 {
			t.Errorf("%s: %d %s", path, res.StatusCode, raw)
		}
	}
}

func TestReadyz(t *testing.T) {
	t.Parallel()
	s := serve(t, func(cfg *server.Config) { cfg.Ready = func() error { return errors.New("still loading") } })
	res, raw := s.send(t, "GET", "/readyz", "")
	if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(raw), "still loading") {
		t.Errorf("%d %s", res.StatusCode, raw)
	}
}

// TestCreate: a creation answers 201 with an ETag, and gets its conditions.
func TestCreate(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var got simcloud.CallOptions
	s.cloud.create = func(spec simcloud.InstanceSpec, opts simcloud.CallOptions) (simcloud.Result[simcloud.Instance], error) {
		got = opts
		return simcloud.Result[simcloud.Instance]{Resource: machine("i-9"), Operation: simcloud.Operation{Meta: simcloud.Meta{ID: "op-1"}}}, nil
	}
	res, _ := s.send(t, "POST", "/v1/instances", `{"name":"a"}`, "Idempotency-Key", "k", "If-Match", `"12"`)
	if res.StatusCode != http.StatusCreated || res.Header.Get("ETag") != `"7"` {
		t.Errorf("status %d, ETag %s; want 201 and \"7\"", res.StatusCode, res.Header.Get("ETag"))
	}
	if diff := cmp.Diff(simcloud.CallOptions{IfVersion: 12, IdempotencyKey: "k"}, got); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}

func TestIDsAreUnescaped(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.get = func(_ context.Context, id simcloud.ID) (simcloud.Instance, error) { return machine(id), nil }
	c := s.client(t)
	for _, id := range []simcloud.ID{"a/b", "a b", "..", "%2F", "ä?#"} {
		if got, err := c.GetInstance(t.Context(), id); err != nil || got.ID != id {
			t.Errorf("GetInstance(%q) = %q, %v", id, got.ID, err)
		}
	}
}

func TestJournalEntry(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.get = func(context.Context, simcloud.ID) (simcloud.Instance, error) {
		return simcloud.Instance{}, simcloud.Errorf(simcloud.NotFound, "instance/i-1", "no such instance")
	}
	s.cloud.create = func(spec simcloud.InstanceSpec, _ simcloud.CallOptions) (simcloud.Result[simcloud.Instance], error) {
		if spec.Name == "taken" {
			return simcloud.Result[simcloud.Instance]{}, simcloud.Errorf(simcloud.AlreadyExists, "", "the name is taken")
		}
		return simcloud.Result[simcloud.Instance]{Resource: machine("i-9")}, nil
	}
	s.send(t, "GET", "/v1/instances/i-1", "", "User-Agent", "ccm/1", "Simcloud-Request-Id", "mine")
	s.send(t, "POST", "/v1/instances", `{}`, "User-Agent", "ccm/1")
	s.send(t, "POST", "/v1/instances", `[]`, "User-Agent", "ccm/1", "Authorization", "Bearer unknown")
	s.send(t, "POST", "/v1/instances", `{"name": "taken"}`, "User-Agent", "ccm/1")
	got, err := s.journal.ListJournal(t.Context(), simcloud.JournalFilter{})
	if err != nil {
		t.Fatal(err)
	}
	caller := simcloud.Caller{Token: "tok-1", Project: "default", Role: "admin", UserAgent: "ccm/1"}
	want := []simcloud.JournalEntry{
		{Seq: 1, RequestID: "mine", Caller: caller, Operation: "GetInstance", Name: "GetInstance", Resource: "instance/i-1", Status: 404, Code: simcloud.NotFound, Message: "no such instance"},
		{Seq: 2, RequestID: "req-1", Caller: caller, Operation: "CreateInstance", Name: "CreateInstance", Write: true, Resource: "instance/i-9", Status: 201, Committed: true},
		{
			Seq: 3, RequestID: "req-2", Caller: simcloud.Caller{UserAgent: "ccm/1"}, Operation: "CreateInstance", Name: "CreateInstance", Write: true,
			Resource: "instance", Status: 401, Code: simcloud.Unauthenticated, Message: "there is no such token",
		},
		{
			Seq: 4, RequestID: "req-3", Caller: caller, Operation: "CreateInstance", Name: "CreateInstance", Write: true,
			Resource: "instance", Status: 409, Code: simcloud.AlreadyExists, Message: "the name is taken",
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(simcloud.JournalEntry{}, "Time", "Duration")); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// looking is a client that looks around when its answer begins to come.
type looking struct {
	*httptest.ResponseRecorder
	look func()
}

func (l looking) WriteHeader(status int) {
	l.look()
	l.ResponseRecorder.WriteHeader(status)
}

// TestRecordedBeforeItIsAnswered: who has an answer, however it ended, finds the call in the journal.
func TestRecordedBeforeItIsAnswered(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.get = func(_ context.Context, id simcloud.ID) (simcloud.Instance, error) { return machine(id), nil }
	for path, want := range map[string]int{"/v1/instances/i-1": 200, "/v2/nothing": 501, "/v1/events?after=x": 422} {
		looked := false
		w := looking{httptest.NewRecorder(), func() {
			looked = true
			all, err := s.journal.ListJournal(t.Context(), simcloud.JournalFilter{})
			if err != nil || len(all) != 1 || all[0].Status != want {
				t.Errorf("%s: the journal has %+v, %v, when the answer comes", path, all, err)
			}
		}}
		r := httptest.NewRequestWithContext(t.Context(), "GET", path, http.NoBody)
		r.Header.Set("Authorization", "Bearer admin")
		s.Config.Handler.ServeHTTP(w, r)
		if !looked || w.Code != want {
			t.Errorf("%s: status %d, want %d", path, w.Code, want)
		}
		if err := s.journal.ClearJournal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJournalOfLongTexts: a caller, who needs no token for it, fills little of the memory with a call.
func TestJournalOfLongTexts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	long := strings.Repeat("ä", 20_000)
	s.send(t, "GET", "/v1/instances/"+url.PathEscape(long[:8000]), "", "Authorization", "Bearer unknown", "User-Agent", long)
	s.send(t, "GET", "/v2/"+url.PathEscape(long[:8000]), "")
	got, err := s.journal.ListJournal(t.Context(), simcloud.JournalFilter{})
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	for _, entry := range got {
		if raw, err := json.Marshal(entry); err != nil || len(raw) > 1500 || !utf8.Valid(raw) || strings.ContainsRune(string(raw), utf8.RuneError) {
			t.Errorf("%d bytes, %v: %s", len(raw), err, raw)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.cloud.get = func(_ context.Context, id simcloud.ID) (simcloud.Instance, error) {
		if id == "i-1" {
			return machine(id), nil
		}
		return simcloud.Instance{}, simcloud.Errorf(simcloud.NotFound, "", "no such instance")
	}
	for _, id := range []string{"i-1", "i-1", "i-2"} {
		s.send(t, "GET", "/v1/instances/"+id, "")
	}
	_, raw := s.send(t, "GET", "/metrics", "")
	for _, line := range []string{
		`simcloud_requests_total{code="ok",operation="GetInstance"} 2`,
		`simcloud_requests_total{code="not_found",operation="GetInstance"} 1`,
		`simcloud_request_duration_seconds_count{operation="GetInstance"} 3`,
	} {
		if !strings.Contains(string(raw), line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}
