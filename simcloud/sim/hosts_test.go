package sim_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// askAs gets a path of a cloud by another name.
func askAs(t *testing.T, cloud *sim.Cloud, host, path string) (status int, body string) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, cloud.URL()+path, http.NoBody)
	req.Host, req.RequestURI = host, ""
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// TestHosts: a cloud at a loopback address answers to names of loopback, to its own, and to those that are allowed.
func TestHosts(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, Listen: "localhost:0", AllowedHosts: []string{"Cloud.example", "192.0.2.7"}})
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:80": 200, "localhost.": 200, "127.0.0.1": 200, "127.9.8.7:1": 200, "[::1]:80": 200, "[::1]": 200,
		"cloud.example:8080": 200, "192.0.2.7": 200, "a.localhost": 200,
		"attacker.example": 421, "127.0.0.1.attacker.example": 421, "localhost.attacker.example": 421, "192.0.2.8": 421, "[2001:db8::1]:80": 421,
		"127.0.0.1@attacker.example": 421, strings.Repeat("a", 300): 421,
	} {
		for _, path := range []string{"/healthz", "/metrics", "/docs", "/v1/instances", "/hcloud/v1/servers", "/openstack/identity"} {
			status, body := askAs(t, cloud, host, path)
			if refused := status == http.StatusMisdirectedRequest; refused != (want == 421) {
				t.Errorf("%s of %s is %d %s", path, host, status, body)
			} else if refused && (!strings.Contains(body, "--allowed-hosts") || len(body) > 1200) {
				t.Errorf("%s of %s says %s", path, host, body)
			}
		}
	}
}

// TestAllowedHostsAreChecked: a port or a URL is no name.
func TestAllowedHostsAreChecked(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"", "a:80", "http://a", "a b", "a,b"} {
		_, err := sim.Open(t.Context(), sim.Config{Ephemeral: true, AllowedHosts: []string{wrong}})
		wantField(t, wrong, err, "allowedHosts")
	}
}

// TestHeadersOfAllAnswers: no answer is shown in a frame, or taken for another type.
func TestHeadersOfAllAnswers(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, Profile: true})
	auth := http.Header{"Authorization": {"Bearer " + cloud.Token()}}
	for _, path := range []string{
		"/", "/docs", "/metrics", "/openapi.json", "/healthz", "/readyz", "/v1/instances", "/v1/none", "/_sim/config", "/hcloud/v1/servers", "/aws", "/openstack/identity",
		"/console/none", "/debug/pprof/", "/none",
	} {
		for _, header := range []http.Header{nil, auth, {"Accept": {"text/html"}}} {
			_, got, _ := ask(t, http.MethodGet, cloud.URL()+path, "", header)
			policy := got.Get("Content-Security-Policy")
			if got.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "default-src 'none'") {
				t.Errorf("%s has %v", path, got)
			}
		}
	}
	_, got, page := ask(t, http.MethodGet, cloud.URL()+"/docs", "", nil)
	if policy := got.Get("Content-Security-Policy"); strings.Count(policy, "'sha256-") != 2 || strings.Count(page, "<script>") != 1 || strings.Count(page, "<style>") != 1 {
		t.Errorf("the policy of /docs is %s", policy)
	}
}
