package hcloud_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// world is a cloud with a native client and one of Hetzner's own library.
type world struct {
	*testing.T
	cloud  *sim.Cloud
	native *client.Client
	hetz   *hcloud.Client
}

func open(t *testing.T, opts ...simtest.Option) world {
	t.Helper()
	cloud, native := simtest.Open(t, opts...)
	w := world{T: t, cloud: cloud, native: native}
	w.hetz = w.dial(cloud.Token())
	return w
}

// dial returns a client of Hetzner's library that does not repeat calls and asks for
// actions at once. All answers that it gets are held against the library's schema.
func (w world) dial(token string) *hcloud.Client {
	return hcloud.NewClient(
		hcloud.WithEndpoint(w.cloud.URL()+"/hcloud/v1"), hcloud.WithToken(token),
		hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0}),
		hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: hcloud.ConstantBackoff(time.Millisecond)}),
		hcloud.WithHTTPClient(&http.Client{Transport: strictly{w.T}}),
	)
}

// strictly fails a test when an answer does not fit the schema of Hetzner's library.
type strictly struct{ t *testing.T }

func (s strictly) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err == nil && res.Header.Get("Simcloud-Fault") == "" {
		s.judge(r, res, body)
	}
	return res, err
}

// schemas are the types of the parts of answers.
var schemas = map[string]func() any{
	"server": of[schema.Server], "servers": of[[]schema.Server],
	"network": of[schema.Network], "networks": of[[]schema.Network],
	"load_balancer": of[schema.LoadBalancer], "load_balancers": of[[]schema.LoadBalancer],
	"load_balancer_type": of[schema.LoadBalancerType], "load_balancer_types": of[[]schema.LoadBalancerType],
	"location": of[schema.Location], "locations": of[[]schema.Location],
	"server_type": of[schema.ServerType], "server_types": of[[]schema.ServerType],
	"action": of[schema.Action], "actions": of[[]schema.Action], "next_actions": of[[]schema.Action],
	"certificate": of[schema.Certificate], "certificates": of[[]schema.Certificate], "meta": of[schema.Meta], "root_password": of[*string],
}

func of[T any]() any { return new(T) }

// judge checks that an answer has all that the schema has, and nothing else.
func (s strictly) judge(r *http.Request, res *http.Response, body []byte) {
	if res.StatusCode == http.StatusNoContent {
		return
	}
	what := r.Method + " " + r.URL.Path
	if media := res.Header.Get("Content-Type"); media != "application/json" {
		s.t.Errorf("%s: the media type is %q", what, media)
	}
	if res.Header.Get("X-Correlation-Id") == "" {
		s.t.Errorf("%s: it has no X-Correlation-Id", what)
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(body, &parts); err != nil {
		s.t.Errorf("%s: %v in %s", what, err, body)
		return
	}
	for name, raw := range parts {
		if name == "error" {
			s.judgeError(what, raw)
			continue
		}
		known, ok := schemas[name]
		if !ok {
			s.t.Errorf("%s: the answer has %q", what, name)
			continue
		}
		s.fits(what+" "+name, raw, known())
	}
}

func (s strictly) judgeError(what string, raw json.RawMessage) {
	var e map[string]any
	if err := json.Unmarshal(raw, &e); err != nil || len(e) != 3 || e["code"] == "" || e["message"] == "" {
		s.t.Errorf("%s: the error is %s (%v)", what, raw, err)
	}
}

// fits decodes strictly, and looks for what the schema has besides.
func (s strictly) fits(what string, raw json.RawMessage, into any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		s.t.Errorf("%s: %v in %s", what, err, raw)
		return
	}
	encoded, err := json.Marshal(into)
	if err != nil {
		s.t.Fatal(err)
	}
	var have, want any
	if err := json.Unmarshal(raw, &have); err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, &want); err != nil {
		s.t.Fatal(err)
	}
	s.complete(what, have, want)
	for _, path := range nulls(reflect.TypeOf(into).Elem(), have) {
		s.t.Errorf("%s: %s is null, want []", what, path)
	}
}

// nulls are the places where a value has null and its type has a list.
func nulls(of reflect.Type, value any) (paths []string) {
	for of.Kind() == reflect.Pointer && value != nil {
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.Slice:
		if value == nil && of != reflect.TypeFor[json.RawMessage]() { // which can be anything
			return []string{"it"}
		}
		items, _ := value.([]any)
		for _, item := range items {
			paths = append(paths, nulls(of.Elem(), item)...)
		}
	case reflect.Struct:
		fields, _ := value.(map[string]any)
		for _, f := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			inner, there := fields[name]
			if !there {
				continue
			}
			for _, path := range nulls(f.Type, inner) {
				paths = append(paths, name+": "+path)
			}
		}
	default:
	}
	return paths
}

// complete looks for fields of want that have does not have.
func (s strictly) complete(path string, have, want any) {
	switch want := want.(type) {
	case map[string]any:
		have, ok := have.(map[string]any)
		if !ok { // null is the zero value
			return
		}
		for name, value := range want {
			got, there := have[name]
			if !there && !slices.Contains([]string{".ip", ".label_selector", ".gateway"}, "."+name) && (name != "server" || have["type"] != "ip") {
				s.t.Errorf("%s: %s is missing", path, name)
			}
			s.complete(path+"."+name, got, value)
		}
	case []any:
		have, _ := have.([]any)
		for i := range min(len(have), len(want)) {
			s.complete(path, have[i], want[i])
		}
	}
}

// must returns v, and ends the test when there is an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// got is must for calls of Hetzner's library, which also answer the response.
func got[T any](t testing.TB) func(v T, _ *hcloud.Response, err error) T {
	return func(v T, _ *hcloud.Response, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// refused fails the test unless an error has a code of Hetzner.
func refused(t testing.TB, err error, code hcloud.ErrorCode) {
	t.Helper()
	if !hcloud.IsError(err, code) {
		t.Errorf("got %v, want the code %s", err, code)
	}
}

// instance makes an instance.
func (w world) instance(spec simcloud.InstanceSpec) simcloud.Instance {
	w.Helper()
	return must[simcloud.Result[simcloud.Instance]](w)(w.native.CreateInstance(w.Context(), spec)).Resource
}

// send sends a request as no library would.
func (w world) send(method, path, body string, header ...string) sent {
	w.Helper()
	r := must[*http.Request](w)(http.NewRequestWithContext(w.Context(), method, w.cloud.URL()+"/hcloud/v1/"+path, strings.NewReader(body)))
	r.Header.Set("Authorization", "Bearer "+w.cloud.Token())
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	return sent{res.StatusCode, res.Header, string(must[[]byte](w)(io.ReadAll(res.Body)))}
}

// sent is the answer to a request.
type sent struct {
	status int
	header http.Header
	body   string
}

// idsOf are the ids of resources, sorted.
func idsOf[T any](items []T, id func(T) int64) []int64 {
	var ids []int64
	for _, item := range items {
		ids = append(ids, id(item))
	}
	slices.Sort(ids)
	return ids
}

// asError is errors.As for the errors of Hetzner's library, which are values.
func asError(err error, into *hcloud.Error) bool { return errors.As(err, into) }
