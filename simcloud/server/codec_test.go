package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestBadInput: each bad request is refused before the cloud is asked (which would panic here), and the answer names what was wrong.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		fields                   []string
		headers                  []string
	}{
		{"empty", "POST", "/v1/instances", "", 400, []string{"body"}, nil},
		{"not JSON", "POST", "/v1/instances", "name=a", 400, []string{"body"}, nil},
		{"cut", "POST", "/v1/instances", `{"name":"a"`, 400, []string{"body"}, nil},
		{"null", "POST", "/v1/instances", "null", 400, []string{"body"}, nil},
		{"list", "POST", "/v1/instances", "[]", 400, []string{"body"}, nil},
		{"two values", "POST", "/v1/instances", `{"name":"a"} {}`, 400, []string{"body"}, nil},
		{"too large", "POST", "/v1/instances", `{"name":"` + strings.Repeat("a", 1<<20) + `"}`, 413, []string{"body"}, nil},
		{"not UTF-8", "POST", "/v1/instances", "{\"name\":\"a\xff\"}", 400, []string{"body"}, nil},
		{"half a character", "POST", "/v1/instances", `{"name":"a","labels":{"k":"\ud83d"}}`, 400, []string{"body"}, nil},
		{"not UTF-8 where no body is", "POST", "/v1/instances/i-1/start", "{\"\xff\":1}", 400, []string{"body"}, nil},
		{"unknown field", "POST", "/v1/instances", `{"name":"a","tpye":"small"}`, 422, []string{"tpye"}, nil},
		{"unknown field within", "POST", "/v1/load-balancers", `{"listeners":[{"prot":80}]}`, 422, []string{"listeners[0].prot"}, nil},
		{"two unknown fields", "POST", "/v1/instances", `{"a":1,"b":2}`, 422, []string{"a", "b"}, nil},
		{"field in other letters", "POST", "/v1/instances", `{"Name":"a"}`, 422, []string{"Name"}, nil},
		{"field twice", "POST", "/v1/instances", `{"name":"a","name":"b"}`, 422, []string{"name"}, nil},
		{"wrong type", "POST", "/v1/instances", `{"name":1}`, 422, []string{"name"}, nil},
		{"wrong type within", "POST", "/v1/load-balancers", `{"affinity":{"clientIP":"yes"}}`, 422, []string{"affinity.clientIP"}, nil},
		{"fraction", "POST", "/v1/instance-types", `{"vcpus":1.5}`, 422, []string{"vcpus"}, nil},
		{"duration", "POST", "/_sim/clock/advance", `{"by":"soon"}`, 422, []string{"by"}, nil},
		{"body where none is", "POST", "/v1/instances/i-1/start", `{"force":true}`, 422, []string{"force"}, nil},
		{"unknown parameter", "GET", "/v1/instances?names=a", "", 422, []string{"names"}, nil},
		{"parameter twice", "GET", "/v1/instances?name=a&name=b", "", 422, []string{"name"}, nil},
		{"page size", "GET", "/v1/instances?pageSize=-1", "", 422, []string{"pageSize"}, nil},
		{"page too large", "GET", "/v1/instances?pageSize=1001", "", 422, []string{"pageSize"}, nil},
		{"bad escape", "GET", "/v1/instances?name=%zz", "", 422, []string{"query"}, nil},
		{"parameter of a read", "GET", "/v1/instances/i-1?verbose=1", "", 422, []string{"verbose"}, nil},
		{"parameter of a change", "DELETE", "/v1/instances/i-1?force=1", "", 422, []string{"force"}, nil},
		{"all wrong at once", "GET", "/_sim/journal?after=x&errors=maybe&op=a", "", 422, []string{"after", "errors", "op"}, nil},
		{"revision", "GET", "/v1/events?after=new", "", 422, []string{"after"}, nil},
		{"last event", "GET", "/v1/events", "", 422, []string{"Last-Event-ID"}, []string{"Last-Event-ID", "x"}},
		{"version", "DELETE", "/v1/instances/i-1", "", 422, []string{"If-Match"}, []string{"If-Match", `"abc"`}},
		{"version 0", "DELETE", "/v1/instances/i-1", "", 422, []string{"If-Match"}, []string{"If-Match", `"0"`}},
		{"long key", "POST", "/v1/instances", "{}", 422, []string{"Idempotency-Key"}, []string{"Idempotency-Key", strings.Repeat("k", 256)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := s.refused(t, c.method, c.path, c.body, c.status, simcloud.Invalid, c.headers...)
			var fields []string
			for _, f := range p.Errors {
				fields = append(fields, f.Field)
				if f.Detail == "" {
					t.Errorf("%s says nothing", f.Field)
				}
			}
			if diff := cmp.Diff(c.fields, fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListParameters(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var got simcloud.ListOptions
	s.cloud.list = func(opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
		got = opts
		return simcloud.Page[simcloud.Instance]{}, nil
	}
	res, raw := s.send(t, "GET", "/v1/instances?name=a&selector=x%3Dy&state=running&pageSize=5&pageToken=t", "")
	if res.StatusCode != http.StatusOK || !strings.Contains(string(raw), `"items":[]`) {
		t.Errorf("%d %s; want items, although there are none", res.StatusCode, raw)
	}
	want := simcloud.ListOptions{Name: "a", Selector: "x=y", State: "running", PageSize: 5, PageToken: "t"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}

func TestVerbsTakeAnEmptyBody(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, body := range []string{"", "  \n", "{}"} {
		if res, raw := s.send(t, "POST", "/v1/instances/i-1/start", body); res.StatusCode != http.StatusOK {
			t.Errorf("body %q: %d %s", body, res.StatusCode, raw)
		}
	}
}

// FuzzBadInput: whatever the body, the answer is ours and no defect.
func FuzzBadInput(f *testing.F) {
	for _, seed := range []string{"", "{", `{"name":"a"}`, `{"labels":{"a":1}}`, `{"listeners":[null]}`, "\xff", `{"name":"a"}x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		s := serve(t)
		s.cloud.create = func(simcloud.InstanceSpec, simcloud.CallOptions) (simcloud.Result[simcloud.Instance], error) {
			return simcloud.Result[simcloud.Instance]{Resource: machine("i-1")}, nil
		}
		res, raw := s.send(t, "POST", "/v1/instances", body)
		if res.StatusCode >= 500 {
			t.Errorf("%d %s", res.StatusCode, raw)
		}
	})
}
