package client_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/redact"
)

var update = flag.Bool("update", false, "write the examples of the API page, with -run ^TestAPI$")

// examplesFile has the examples that the page of the API shows.
const examplesFile = "../openapi/examples.json"

// example is a call that succeeded, as the page of the API shows it.
type example struct {
	Path     string          `json:"path"`
	Request  json.RawMessage `json:"request,omitempty"`
	Response json.RawMessage `json:"response"`
	cost     int
}

// The lengths that requests and responses of examples should have, in bytes: enough to show something, and not more than one reads.
const (
	goodRequest  = 200
	goodResponse = 700
)

// keep takes a call that succeeded as the example of its operation when it is the better one.
func (tr *traffic) keep(operation string, r *http.Request, sent, got []byte) {
	if !*update || !plainText(r.URL.RequestURI()) || !plainText(string(sent)) || !plainText(string(got)) {
		return
	}
	e := example{Path: r.URL.RequestURI(), cost: 4*distance(len(sent), goodRequest) + distance(len(got), goodResponse)}
	if bytes.Contains(got, []byte(`"items":[]`)) {
		e.cost += 10000
	}
	var secrets redact.Redactor
	if len(sent) > 0 {
		e.Request = json.RawMessage(secrets.Body(sent, false))
	}
	e.Response = json.RawMessage(strings.TrimSpace(secrets.Body(got, false)))
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if before, ok := tr.examples[operation]; json.Valid(e.Response) && (!ok || e.cost < before.cost) {
		tr.examples[operation] = e
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// plainText reports whether a text has only what anyone types: tests also send what is hard to show.
func plainText(text string) bool {
	return !strings.Contains(text, `\u`) && strings.IndexFunc(text, func(c rune) bool { return c > '~' && c != 'µ' }) < 0
}

func (tr *traffic) writeExamples(t *testing.T) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("-update is not for CI")
	}
	var lines []string
	for _, operation := range slices.Sorted(maps.Keys(tr.examples)) {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(tr.examples[operation]); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strconv.Quote(operation)+": "+strings.TrimSpace(line.String()))
	}
	raw := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	if err := os.WriteFile(examplesFile, []byte(raw), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestExamples: each operation has an example, and the document that has it describes it: recorded traffic
// that the interface would no longer take or give is found. -update of TestAPI records it again.
func TestExamples(t *testing.T) {
	t.Parallel()
	document := readDocument(t, http.DefaultClient, newCloud(t))
	raw, err := os.ReadFile(examplesFile)
	if err != nil {
		t.Fatal(err)
	}
	var examples map[string]example
	if err := json.Unmarshal(raw, &examples); err != nil {
		t.Fatal(err)
	}
	for _, e := range simcloud.Endpoints() {
		found, ok := examples[e.Operation]
		if !ok {
			t.Errorf("%s has no example: run go test ./simcloud/client -run ^TestAPI$ -update", e.Operation)
			continue
		}
		delete(examples, e.Operation)
		if err := document.checkExample(t, e, found); err != nil {
			t.Errorf("the example of %s: %v", e.Operation, err)
		}
	}
	for name := range examples {
		t.Errorf("there is an example of %s, which is no operation", name)
	}
}

// checkExample holds an example against what is described.
func (d *document) checkExample(t *testing.T, e simcloud.Endpoint, ex example) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), e.Method, "http://cloud"+ex.Path, nil)
	if err != nil {
		return err
	}
	if err := d.checkRequest(r, ex.Request); err != nil {
		return err
	}
	path, op, err := d.operation(r)
	if err != nil || op.OperationID != e.Operation {
		return fmt.Errorf("it is one of %q: %w", op.OperationID, err)
	}
	for status, answer := range op.Responses {
		for media := range answer.Content {
			last := "schema"
			if media == "text/event-stream" {
				last = "x-event-data"
			}
			if answer.Ref == "" {
				return d.valid(ex.Response, "paths", path, strings.ToLower(e.Method), "responses", status, "content", media, last)
			}
		}
	}
	return nil
}
