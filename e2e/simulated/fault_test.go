package simulated_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/kubeapitest"
)

// TestFaults breaks the server in five ways, and checks that the table reports each.
func TestFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		topic string
		cases []string // of the topic, that must differ
		fault func(http.RoundTripper) http.RoundTripper
	}{
		"NoConflict":        {"update", []string{"StaleVersion"}, withoutConflict},
		"FinalizersIgnored": {"delete", []string{"Finalizer"}, withoutFinalizers},
		"LostDeletion":      {"watch", []string{"FromVersion"}, withoutDeletions},
		"RepeatedNames":     {"create", []string{"GenerateName"}, repeatNames},
		"DryRunWrites":      {"dryrun", []string{"Create"}, writeDryRuns},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			topics := topicsOf(false, tt.topic)
			found, err := kubeapitest.Differences(topics, answers(t, topics, tt.fault))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range tt.cases {
				key := tt.topic + "/" + c
				if found[key] == "" {
					t.Errorf("%s does not report the fault", key)
				}
				if reason := known(t)[key]; reason != "" {
					t.Errorf("%s differs without the fault, too: %s", key, reason)
				}
			}
		})
	}
}

// roundTripper is a function that is a transport.
type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// edit returns a copy of a request whose JSON body is changed, when it has one.
func edit(r *http.Request, change func(metadata map[string]any)) *http.Request {
	if r.Body == nil || r.Header.Get("Content-Type") != "application/json" {
		return r
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return r
	}
	var object map[string]any
	if json.Unmarshal(raw, &object) == nil {
		if metadata, ok := object["metadata"].(map[string]any); ok {
			change(metadata)
			raw, _ = json.Marshal(object)
		}
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	return r
}

// withoutConflict forgets the version that an update is based on.
func withoutConflict(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPut {
			r = edit(r, func(metadata map[string]any) { delete(metadata, "resourceVersion") })
		}
		return next.RoundTrip(r)
	})
}

// withoutFinalizers clears the finalizers of each object that is deleted.
func withoutFinalizers(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil || r.Method != http.MethodDelete {
			return resp, err
		}
		patch := r.Clone(r.Context())
		patch.Method, patch.URL.RawQuery = http.MethodPatch, ""
		const body = `{"metadata":{"finalizers":null}}`
		patch.Body, patch.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		patch.Header.Set("Content-Type", "application/merge-patch+json")
		if cleared, err := next.RoundTrip(patch); err == nil {
			_ = cleared.Body.Close()
		}
		return resp, nil
	})
}

// repeatNames generates the same name again and again.
func repeatNames(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost {
			r = edit(r, func(metadata map[string]any) {
				if prefix, ok := metadata["generateName"].(string); ok && metadata["name"] == nil {
					metadata["name"] = prefix + "aaaaa"
				}
			})
		}
		return next.RoundTrip(r)
	})
}

// writeDryRuns does what a dry run only tries.
func writeDryRuns(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		query := r.URL.Query()
		query.Del("dryRun")
		r.URL.RawQuery = query.Encode()
		return next.RoundTrip(r)
	})
}

// withoutDeletions drops the events of deletions from watches.
func withoutDeletions(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err == nil && r.URL.Query().Has("watch") {
			resp.Body = &deletionFilter{ReadCloser: resp.Body, events: json.NewDecoder(resp.Body)}
		}
		return resp, err
	})
}

// deletionFilter is the body of a watch without DELETED events.
type deletionFilter struct {
	io.ReadCloser
	events *json.Decoder
	rest   []byte // of the event that is being read
}

// Read implements io.Reader.
func (f *deletionFilter) Read(to []byte) (int, error) {
	for len(f.rest) == 0 {
		var event json.RawMessage
		if err := f.events.Decode(&event); err != nil {
			return 0, err
		}
		if !bytes.HasPrefix(event, []byte(`{"type":"DELETED"`)) {
			f.rest = append(event, '\n')
		}
	}
	n := copy(to, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}
