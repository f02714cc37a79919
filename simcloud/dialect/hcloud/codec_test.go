package hcloud_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// refuses sends a request that must be answered with an error of Hetzner.
func (w world) refuses(method, path, body string, status int, code string) {
	w.Helper()
	res := w.send(method, path, body)
	var e struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(res.body), &e); err != nil || res.status != status || e.Error.Code != code || e.Error.Message == "" {
		w.Errorf("%s %s %.100s: %d %s, want %d %s", method, path, body, res.status, res.body, status, code)
	}
}

// links are the relations of a Link header.
func links(header string) []string {
	var rels []string
	for _, link := range strings.Split(header, ",") {
		_, rel, _ := strings.Cut(link, `rel="`)
		rels = append(rels, strings.TrimSuffix(rel, `"`))
	}
	return rels
}

func TestRequestsThatAreNone(t *testing.T) {
	t.Parallel()
	w := open(t)
	deep := strings.Repeat("[", 100_000)
	for _, test := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "moons", "", 404, "not_found"},
		{"GET", "", "", 404, "not_found"},
		{"GET", "servers/", "", 404, "not_found"},
		{"GET", "servers/node-1", "", 404, "not_found"},
		{"GET", "servers/007", "", 404, "not_found"},
		{"GET", "servers/-1", "", 404, "not_found"},
		{"GET", "servers/99999999999999999999", "", 404, "not_found"},
		{"GET", "load_balancers/1", "", 404, "not_found"},
		{"PATCH", "servers", "", 405, "method_not_allowed"},
		{"POST", "locations", "{}", 405, "method_not_allowed"},
		{"POST", "load_balancers", "", 400, "json_error"},
		{"POST", "load_balancers", "{", 400, "json_error"},
		{"POST", "load_balancers", "[]", 400, "json_error"},
		{"POST", "load_balancers", `{"name":` + deep, 400, "json_error"},
		{"POST", "load_balancers", "{}{}", 400, "json_error"},
		{"POST", "load_balancers", "{\"name\":\"\xff\"}", 400, "json_error"},
		{"POST", "load_balancers", `{"name":7}`, 422, "invalid_input"},
		{"POST", "load_balancers", `{"name":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "json_error"},
		{"POST", "volumes", `{"name":"a"}`, 422, "unsupported_error"},
		{"POST", "load_balancers/1/actions/jump", "{}", 404, "not_found"},
	} {
		w.refuses(test.method, test.path, test.body, test.status, test.code)
	}
	if allow := w.send("PATCH", "servers", "").header.Get("Allow"); allow != "GET, POST" {
		t.Errorf("the methods of servers are %q", allow)
	}
}

// TestFieldsAreNamed: the client gets the names of wrong fields, as Hetzner names them.
func TestFieldsAreNamed(t *testing.T) {
	t.Parallel()
	w := open(t)
	_, _, err := w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a b", LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "zone-a"},
	})
	var e hcloud.Error
	if !asError(err, &e) || e.Code != hcloud.ErrorCodeInvalidInput {
		t.Fatalf("got %v", err)
	}
	details, _ := e.Details.(hcloud.ErrorDetailsInvalidInput)
	if len(details.Fields) != 1 || details.Fields[0].Name != "name" || !strings.Contains(details.Fields[0].Messages[0], "a b") {
		t.Errorf("the details are %+v", details)
	}
}

// TestJournal: an entry has the dialect's name of the call beside the cloud's.
func TestJournal(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.does("change_algorithm")(w.hetz.LoadBalancer.ChangeAlgorithm(t.Context(), lb, hcloud.LoadBalancerChangeAlgorithmOpts{Type: "least_connections"}))
	entries := must[[]simcloud.JournalEntry](t)(w.native.ListJournal(t.Context(), simcloud.JournalFilter{Operation: "UpdateLoadBalancer"}))
	if len(entries) != 1 {
		t.Fatalf("the journal has %+v", entries)
	}
	e := entries[0]
	if e.Dialect != "hcloud" || e.DialectOperation != "change_algorithm" || e.Request != "POST /hcloud/v1/load_balancers/1/actions/change_algorithm" {
		t.Errorf("the entry is %+v", e)
	}
	if e.Resource != "load_balancer/lb-1" || e.Status != 201 || !e.Committed || e.OperationID != "op-2" || !e.Write {
		t.Errorf("the entry is %+v", e)
	}
}

// TestLanding: who opens the URL of the cloud reads where the API is.
func TestLanding(t *testing.T) {
	t.Parallel()
	w := open(t)
	r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodGet, w.cloud.URL(), http.NoBody))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body := string(must[[]byte](t)(io.ReadAll(res.Body)))
	if res.StatusCode != http.StatusOK || !strings.Contains(body, "/hcloud/v1   Hetzner Cloud API v1\n") {
		t.Errorf("GET /: %d\n%s", res.StatusCode, body)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	w := open(t)
	_, err := w.dial("guess").Server.All(t.Context())
	refused(t, err, hcloud.ErrorCodeUnauthorized)
	reader := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "reader", Role: simcloud.RoleReader})).Resource
	readonly := w.dial(reader.Secret)
	if _, err := readonly.Server.All(t.Context()); err != nil {
		t.Errorf("a read with a read-only token: %v", err)
	}
	_, _, err = readonly.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{Name: "a"})
	refused(t, err, hcloud.ErrorCodeTokenReadonly)
	if res := w.send("GET", "servers", "", "Authorization", "Basic abc"); res.status != 401 || !strings.Contains(res.body, `"unauthorized"`) {
		t.Errorf("without a bearer token: %d %s", res.status, res.body)
	}
}
