package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is the description of the interface, as the server serves it.
type document struct {
	Paths      map[string]map[string]described
	Components struct {
		Responses  map[string]answers
		Parameters map[string]parameter
	}

	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
}

// described is one operation.
type described struct {
	OperationID string
	Parameters  []parameter
	RequestBody *struct{ Content map[string]any }
	Responses   map[string]answers
}

type parameter struct {
	Ref      string `json:"$ref"`
	Name, In string
}

type answers struct {
	Ref     string `json:"$ref"`
	Headers map[string]any
	Content map[string]map[string]any
}

// readDocument reads the description from a server. It needs no token.
func readDocument(t testing.TB, c *http.Client, endpoint string) *document {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, endpoint+"/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("read the document: %d, %v", res.StatusCode, err)
	}
	d := &document{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(raw, d); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", value); err != nil {
		t.Fatal(err)
	}
	return d
}

// operation finds what is described for a request.
func (d *document) operation(r *http.Request) (path string, op described, err error) {
	parts := strings.Split(r.URL.EscapedPath(), "/")
	for path, item := range d.Paths {
		fits := func(part, sent string) bool { return strings.HasPrefix(part, "{") && sent != "" || part == sent }
		if op, ok := item[strings.ToLower(r.Method)]; ok && slices.EqualFunc(strings.Split(path, "/"), parts, fits) {
			return path, op, nil
		}
	}
	return "", described{}, fmt.Errorf("%s %s is not described", r.Method, r.URL.Path)
}

// parameters returns the names of the parameters of an operation that stand in one place.
func (d *document) parameters(op described, in string) []string {
	var names []string
	for _, p := range op.Parameters {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}
		if p.In == in {
			names = append(names, p.Name)
		}
	}
	return names
}

// checkRequest says what a request, which the cloud has taken, has that is not described.
func (d *document) checkRequest(r *http.Request, body []byte) error {
	path, op, err := d.operation(r)
	if err != nil {
		return err
	}
	for name := range r.URL.Query() {
		if !slices.Contains(d.parameters(op, "query"), name) {
			return fmt.Errorf("the parameter %s is not described", name)
		}
	}
	for _, name := range []string{"If-Match", "Idempotency-Key", "Last-Event-ID", "Simcloud-Consistency"} {
		if r.Header.Get(name) != "" && !slices.Contains(d.parameters(op, "header"), name) {
			return fmt.Errorf("the header %s is not described", name)
		}
	}
	if op.RequestBody == nil {
		if len(body) > 0 {
			return fmt.Errorf("a body is not described: %s", body)
		}
		return nil
	}
	return d.valid(body, "paths", path, strings.ToLower(r.Method), "requestBody", "content", "application/json", "schema")
}

// checkAnswer says how an answer is not as it is described.
func (d *document) checkAnswer(r *http.Request, res *http.Response, body []byte) error {
	media, at, err := d.answer(r, res)
	if err != nil || media == "text/event-stream" {
		return err
	}
	return d.valid(body, append(at, "schema")...)
}

// answer finds the media type of an answer and where it is described.
func (d *document) answer(r *http.Request, res *http.Response) (media string, at []string, err error) {
	path, op, err := d.operation(r)
	if err != nil {
		return "", nil, err
	}
	status := strconv.Itoa(res.StatusCode)
	answer, ok := op.Responses[status]
	if !ok {
		return "", nil, fmt.Errorf("the status %s is not described", status)
	}
	at = []string{"paths", path, strings.ToLower(r.Method), "responses", status}
	if name, ok := strings.CutPrefix(answer.Ref, "#/components/responses/"); ok {
		answer, at = d.Components.Responses[name], []string{"components", "responses", name}
	}
	media = res.Header.Get("Content-Type")
	if _, ok := answer.Content[media]; !ok {
		return "", nil, fmt.Errorf("the media type %q of %s is not described", media, status)
	}
	for _, name := range []string{"ETag", "Retry-After", "WWW-Authenticate", "RateLimit-Limit", "Simcloud-Fault", "Simcloud-Request-Id"} {
		if _, ok := answer.Headers[name]; !ok && res.Header.Get(name) != "" {
			return "", nil, fmt.Errorf("the header %s of %s is not described", name, status)
		}
	}
	return media, append(at, "content", media), nil
}

// valid holds JSON against the schema at a place of the document.
func (d *document) valid(raw []byte, at ...string) error {
	schema, err := d.schema(at)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%w\n%.2000s", err, raw)
	}
	return nil
}

func (d *document) schema(at []string) (*jsonschema.Schema, error) {
	pointer := "openapi.json#"
	for _, part := range at {
		pointer += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if schema, ok := d.schemas[pointer]; ok {
		return schema, nil
	}
	schema, err := d.compiler.Compile(pointer)
	d.schemas[pointer] = schema
	return schema, err
}

// recorder hands requests on and holds them and their answers against the document.
type recorder struct {
	next     http.RoundTripper
	document *document
	report   func(error)
	// seen is told which operations were answered how.
	seen func(operation string, status int)
	// example is given what succeeded: the request, its body, and the answer or an event of it.
	example func(operation string, r *http.Request, sent, got []byte)
}

// RoundTrip implements http.RoundTripper.
func (rec *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		if sent, err = io.ReadAll(body); err != nil {
			return nil, err
		}
	}
	res, err := rec.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	wrong := func(err error) {
		if err != nil {
			rec.report(fmt.Errorf("%s %s: %w", r.Method, r.URL.RequestURI(), err))
		}
	}
	if res.StatusCode < 300 {
		wrong(rec.document.checkRequest(r, sent))
	}
	_, op, unknown := rec.document.operation(r)
	if unknown == nil {
		rec.seen(op.OperationID, res.StatusCode)
	}
	media, at, err := rec.document.answer(r, res)
	if media == "text/event-stream" {
		res.Body = &eventReader{ReadCloser: res.Body, check: func(data []byte) {
			wrong(rec.document.valid(data, append(at, "x-event-data")...))
			rec.example(op.OperationID, r, nil, data)
		}}
		return res, nil
	}
	wrong(err)
	body, failed := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{failed}))
	if err == nil && failed == nil {
		wrong(rec.document.checkAnswer(r, res, body))
		if res.StatusCode < 300 {
			rec.example(op.OperationID, r, sent, body)
		}
	}
	return res, nil
}

// failing ends a body as it has ended.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// eventReader hands a stream on and the data of its events to check.
type eventReader struct {
	io.ReadCloser
	check   func(data []byte)
	line    []byte
	problem bool
}

func (e *eventReader) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	for _, b := range p[:n] {
		if b != '\n' {
			e.line = append(e.line, b)
			continue
		}
		if data, ok := bytes.CutPrefix(e.line, []byte("data: ")); ok && !e.problem {
			e.check(data)
		}
		e.problem = e.problem && len(e.line) > 0 || bytes.HasPrefix(e.line, []byte("event: problem"))
		e.line = e.line[:0]
	}
	return n, err
}

// TestDocumentCatchesWhatIsWrong: the validation of TestAPI is one that fails.
func TestDocumentCatchesWhatIsWrong(t *testing.T) {
	t.Parallel()
	endpoint := newCloud(t)
	d := readDocument(t, http.DefaultClient, endpoint)
	get := func(path string) *http.Request {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, endpoint+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return req
	}
	const quota = `{"id":"q","name":"q","created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z","version":1,"resource":"volume","limit":1,"used":0}`
	answer := func(status int, media, body string) func() error {
		return func() error {
			res := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {media}}}
			return d.checkAnswer(get("/v1/quotas/q"), res, []byte(body))
		}
	}
	if err := answer(http.StatusOK, "application/json", quota)(); err != nil {
		t.Fatal(err)
	}
	post := func(body string) func() error {
		return func() error {
			req := get("/v1/instances")
			req.Method = http.MethodPost
			return d.checkRequest(req, []byte(body))
		}
	}
	if err := post(`{"name":"a","zone":"zone-a"}`)(); err != nil {
		t.Fatal(err)
	}
	for name, check := range map[string]func() error{
		"a missing field":      answer(200, "application/json", strings.Replace(quota, `"used":0`, `"updated":"2026-01-02T03:04:05Z"`, 1)),
		"an unknown field":     answer(200, "application/json", strings.Replace(quota, `"used"`, `"free":1,"used"`, 1)),
		"another type":         answer(200, "application/json", strings.Replace(quota, `"limit":1`, `"limit":"1"`, 1)),
		"an unknown value":     answer(200, "application/json", strings.Replace(quota, `"volume"`, `"floppy"`, 1)),
		"no time":              answer(200, "application/json", strings.Replace(quota, "2026-01-02T03:04:05Z", "today", 1)),
		"null":                 answer(200, "application/json", "null"),
		"another status":       answer(204, "application/json", quota),
		"another media type":   answer(200, "text/html", quota),
		"a code of another":    answer(404, "application/problem+json", `{"type":"t","title":"t","status":404,"code":"in_use"}`),
		"a problem without":    answer(404, "application/problem+json", `{"type":"t","title":"t","status":404}`),
		"an unknown path":      func() error { return d.checkRequest(get("/v1/rain"), nil) },
		"an unknown parameter": func() error { return d.checkRequest(get("/v1/quotas?color=red"), nil) },
		"a body for a get":     func() error { return d.checkRequest(get("/v1/quotas"), []byte("{}")) },
		"a wrong body":         post(`{"name":1}`),
		"a body without name":  post(`{"zone":"zone-a"}`),
		"a strange field":      post(`{"name":"a","color":"red"}`),
	} {
		if err := check(); err == nil {
			t.Errorf("%s passes", name)
		}
	}
	var caught error
	events := &eventReader{ReadCloser: io.NopCloser(strings.NewReader(": hello\n\nid: 1\ndata: {\"revision\":\"1\"}\n\n")), check: func(data []byte) {
		caught = errors.Join(caught, d.valid(data, "paths", "/v1/events", "get", "responses", "200", "content", "text/event-stream", "x-event-data"))
	}}
	if _, err := io.ReadAll(events); err != nil || caught == nil {
		t.Errorf("a wrong event passes (%v)", err)
	}
}
