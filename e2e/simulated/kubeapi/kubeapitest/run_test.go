package kubeapitest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/kubeapitest"
)

// scripted answers requests by their method and path.
type scripted map[string]string

func (s scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	body, ok := s[req.Method+" "+req.URL.RequestURI()]
	status := http.StatusOK
	switch {
	case req.Method == http.MethodPost:
		status = http.StatusCreated
	case !ok:
		status = http.StatusNotFound
	}
	resp := &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(strings.NewReader(body)),
	}
	if body == silent {
		resp.Body = &silence{done: req.Context().Done()}
	}
	return resp, nil
}

// silent is the body of a watch without events.
const silent = "silent"

type silence struct{ done <-chan struct{} }

func (s *silence) Read([]byte) (int, error) {
	<-s.done
	return 0, io.ErrUnexpectedEOF
}

func (s *silence) Close() error { return nil }

// run runs one case in a bubble, without a socket.
func run(t *testing.T, server scripted, steps string) kubeapitest.CaseAnswers {
	t.Helper()
	topic, err := kubeapitest.Parse("unit", []byte("cases: [{name: Case, promise: p, steps: ["+steps+"]}]"))
	if err != nil {
		t.Fatal(err)
	}
	var answers kubeapitest.Answers
	synctest.Test(t, func(t *testing.T) {
		if answers, err = kubeapitest.Run(t.Context(), &rest.Config{Host: "http://kube", Transport: server}, []kubeapitest.Topic{topic}); err != nil {
			t.Fatal(err)
		}
	})
	return answers["unit/Case"]
}

// body is the answer's body as compact JSON.
func body(t *testing.T, a kubeapitest.Answer) string {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a.Body); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

const (
	uidA = "00000000-0000-0000-0000-00000000000a"
	uidB = "00000000-0000-0000-0000-00000000000b"
)

// conflicts is a failed apply with its causes in this order.
func conflicts(fields ...string) string {
	var causes []string
	for _, field := range fields {
		causes = append(causes, fmt.Sprintf(`{"field":%q,"reason":"FieldManagerConflict"}`, field))
	}
	return `{"details":{"causes":[` + strings.Join(causes, ",") + `]}}`
}

// TestTokens shows what stands for the values that differ from run to run.
func TestTokens(t *testing.T) {
	t.Parallel()
	object := func(uid string, version int) string {
		return fmt.Sprintf(`{"metadata":{"uid":%q,"resourceVersion":"%d"}}`, uid, version)
	}
	tests := map[string]struct{ first, second, want string }{
		"SameUID":        {object(uidA, 7), object(uidA, 7), `{"metadata":{"resourceVersion":"rv-1","uid":"uid-1"}}`},
		"OtherUID":       {object(uidA, 7), object(uidB, 9), `{"metadata":{"resourceVersion":"rv-2","uid":"uid-2"}}`},
		"LowerVersion":   {object(uidA, 10), object(uidA, 9), `{"metadata":{"resourceVersion":"rv-1","uid":"uid-1"}}`},
		"List":           {object(uidA, 7), `{"kind":"PodList","metadata":{"resourceVersion":"8"}}`, `{"kind":"PodList","metadata":{"resourceVersion":"at least rv-1"}}`},
		"ListOfNothing":  {`{}`, `{"kind":"PodList","metadata":{"resourceVersion":"8"}}`, `{"kind":"PodList","metadata":{"resourceVersion":"<version>"}}`},
		"Now":            {`{}`, `{"at":"2000-01-01T00:00:01Z"}`, `{"at":"<now>"}`},
		"Later":          {`{}`, `{"at":"2000-01-01T01:00:00Z"}`, `{"at":"<later>"}`},
		"Earlier":        {`{}`, `{"at":"1999-01-01T01:00:00Z"}`, `{"at":"<earlier>"}`},
		"SentTime":       {`{}`, `{"at":"1999-01-01T00:00:00Z"}`, `{"at":"1999-01-01T00:00:00Z"}`},
		"Address":        {`{}`, `{"clusterIP":"10.0.0.7","message":"10.0.0.7 is taken"}`, `{"clusterIP":"<ip4-1>","message":"<ip4-1> is taken"}`},
		"SentAddress":    {`{}`, `{"clusterIP":"10.0.0.1"}`, `{"clusterIP":"10.0.0.1"}`},
		"NodePort":       {`{"nodePort":31000}`, `{"nodePort":31001,"port":31000}`, `{"nodePort":"<nodePort-2>","port":31000}`},
		"SentNodePort":   {`{}`, `{"nodePort":30007}`, `{"nodePort":30007}`},
		"GeneratedName":  {`{"metadata":{"generateName":"a-","name":"a-x7z9q"}}`, `{"message":"\"a-x7z9q\" exists"}`, `{"message":"\"a-<generated-1>\" exists"}`},
		"Message":        {`{}`, `{"message":"too old resource version: 1 (367)"}`, `{"message":"too old resource version: 1 (<version>)"}`},
		"ManagedFields":  {`{}`, `{"metadata":{"managedFields":[{}],"name":"a"}}`, `{"metadata":{"name":"a"}}`},
		"Token":          {`{}`, `{"status":{"token":"eyJ"}}`, `{"status":{"token":"<token>"}}`},
		"EmptyContinue":  {`{}`, `{"metadata":{"continue":""}}`, `{"metadata":{"continue":""}}`},
		"Conflicts":      {`{}`, conflicts("b", "a"), conflicts("a", "b")},
		"DetailsOfError": {object(uidA, 7), `{"details":{"uid":"` + uidA + `"}}`, `{"details":{"uid":"uid-1"}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := run(t, scripted{"GET /first": tt.first, "GET /second": tt.second},
				`{do: GET /first, body: {at: "1999-01-01T00:00:00Z", clusterIP: 10.0.0.1, nodePort: 30007}}, {do: GET /second}`)
			if diff := cmp.Diff(tt.want, body(t, answers[1])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestShown shows how a step reduces its answer.
func TestShown(t *testing.T) {
	t.Parallel()
	const list = `{"items":[{"metadata":{"name":"a"},"spec":{"x":1}},{"metadata":{"name":"b"}}],"kind":"L"}`
	tests := map[string]struct{ step, want string }{
		"Show":  {`show: [kind, items.1.metadata.name, items.2.metadata.name]`, `{"items":{"1":{"metadata":{"name":"b"}}},"kind":"L"}`},
		"Pick":  {`pick: {items: [b]}`, `{"items":[{"metadata":{"name":"b"}}],"kind":"L"}`},
		"Types": {`types: true, pick: {items: [a]}`, `{"items":[{"metadata":{"name":"<text>"},"spec":{"x":"<number>"}}],"kind":"<text>"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := run(t, scripted{"GET /list": list}, "{do: GET /list, "+tt.step+"}")
			if diff := cmp.Diff(tt.want, body(t, answers[0])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestVariables shows how a step uses an earlier answer.
func TestVariables(t *testing.T) {
	t.Parallel()
	server := scripted{
		"GET /a":   `{"metadata":{"name":"x y"},"n":5}`,
		"PUT /a":   `{"ok":true}`,
		"GET /x+y": `{"found":true}`,
	}
	answers := run(t, server, `{do: GET /a, as: a}, {do: GET /$(a.metadata.name)}, {do: GET /a, body: {x: $(b)}}`)
	if got := body(t, answers[1]); got != `{"found":true}` {
		t.Errorf("got %s", got)
	}
	if got := answers[2].Error; !strings.Contains(got, "$(b) not found") {
		t.Errorf("got error %q", got)
	}
}

// TestSilentWatch times out, in simulated time, and shows the events until then.
func TestSilentWatch(t *testing.T) {
	t.Parallel()
	answers := run(t, scripted{"GET /w": silent}, `{watch: /w, as: w}, {events: w, count: 1}`)
	if got := answers[1].Error; !strings.Contains(got, "timed out after 1m0s") {
		t.Errorf("got error %q", got)
	}
}

// TestEvents reads a watch up to a bookmark, and then to its end.
func TestEvents(t *testing.T) {
	t.Parallel()
	const events = `{"type":"ADDED","object":{"a":1}}{"type":"BOOKMARK","object":{}}{"type":"DELETED","object":{"a":2}}`
	answers := run(t, scripted{"GET /w": events}, `{watch: /w, as: w}, {events: w, until: bookmark}, {events: w, until: end}`)
	if len(answers[1].Events) != 2 || len(answers[2].Events) != 1 || answers[2].Error != "" {
		t.Errorf("got %v", answers)
	}
}
