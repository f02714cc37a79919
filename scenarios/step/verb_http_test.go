package step_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// flaky is a server whose first answers are 503; each answer says the number of the request.
func flaky(t *testing.T, bad int32) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		if n <= bad {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		fmt.Fprintf(w, "%s %d", host, n%2)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), asked
}

// packets runs steps in a scenario whose pods have traffic.
func packets(t *testing.T, c *steptest.Cluster, steps string) scenarios.Result {
	t.Helper()
	return runtest.PerformSpec(t, c, "packets: true\n  ccm: stopped\n  steps:\n"+steps)
}

func TestHTTP(t *testing.T) {
	for name, test := range map[string]struct {
		bad   int32
		steps string
		says  string // "" when it passes
	}{
		"captured": {1, `
  - http: {url: "http://ADDRESS/x", from: 127.0.0.9, times: 4, timeout: 60s, capture: r}
  - expect:
    - 'r.ok == 3 && r.failed == 1 && r.statuses == {"200": 3, "503": 1}'
    - r.bodies == ["127.0.0.9 0", "127.0.0.9 1"] && r.body == "127.0.0.9 1" && r.errors == []`, ""},
		"judged":             {0, `  - http: {expect: 'r.body == "127.0.0.1 1"', url: "http://${a}/x", timeout: 60s, capture: r}`, ""},
		"without a judge":    {1, `  - http: {url: "http://ADDRESS/x", timeout: 60s, times: 3}`, "1 of 3 requests failed: the status 503 once"},
		"within":             {3, `  - http: {url: "http://ADDRESS/x", timeout: 60s, within: 30s}`, ""},
		"within, judged":     {3, `  - http: {url: "http://ADDRESS/x", timeout: 60s, within: 30s, capture: r, expect: "r.failed == 0"}`, ""},
		"never":              {99, `  - http: {url: "http://ADDRESS/x", within: 300ms, capture: r, expect: "r.failed == 0"}`, "the expectation did not become true within 300ms"},
		"never, with values": {99, `  - http: {url: "http://ADDRESS/x", within: 300ms, capture: r, expect: "r.failed == 0"}`, "r.failed = 1"},
		"holds":              {0, `  - http: {url: "http://ADDRESS/x", timeout: 60s, holds: 300ms, capture: r, expect: "r.ok == 1"}`, ""},
		"does not hold":      {0, `  - http: {url: "http://ADDRESS/x", timeout: 60s, holds: 30s, capture: r, expect: 'r.body == "127.0.0.1 1"'}`, "the expectation did not stay true for 30s: the expectation is false (2 attempts)"},
		"nothing listens":    {0, `  - http: {url: "http://127.0.0.1:1/x"}`, "connection refused"},
		"from nowhere":       {0, `  - http: {url: "http://ADDRESS/x", from: 192.0.2.7}`, "cannot assign requested address"},
		"from no address":    {0, `  - http: {url: "http://ADDRESS/x", from: "${ns}"}`, `from is "test-one": want an IP address`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := flaky(t, test.bad)
			steps := fmt.Sprintf("  - capture: {a: '%q'}\n", address) + strings.ReplaceAll(test.steps, "ADDRESS", address)
			r := packets(t, steptest.NewCluster(t), steps+"\n")
			if test.says == "" {
				runtest.Passes(t, r)
			} else {
				runtest.Fails(t, r, test.says)
			}
		})
	}
}

// TestHTTPExpressionOfNonsense: one that no answer can fulfil is a mistake of the file.
func TestHTTPExpressionOfNonsense(t *testing.T) {
	address, _ := flaky(t, 0)
	r := packets(t, steptest.NewCluster(t), fmt.Sprintf("  - http: {url: 'http://%s/x', timeout: 60s, capture: r, expect: 'dyn(r.ok) + \"1\" == \"\"'}\n", address))
	if r.Status != scenarios.Invalid || !strings.Contains(r.Failures[0].Headline, "cannot be evaluated") {
		t.Errorf("it is %s: %v", r.Status, r.Failures)
	}
}

// TestHTTPSlow: each request has its own time.
func TestHTTPSlow(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	runtest.Fails(t, packets(t, steptest.NewCluster(t), fmt.Sprintf("  - http: {url: 'http://%s', times: 2, timeout: 50ms}\n", silent.Addr())),
		"2 of 2 requests failed: no answer within 50ms")
}

// TestHTTPConnections: no two requests share a connection, or all would go to one target.
func TestHTTPConnections(t *testing.T) {
	var peers atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			peers.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	runtest.Passes(t, packets(t, steptest.NewCluster(t), fmt.Sprintf("  - http: {url: 'http://%s', times: 5, timeout: 60s}\n", server.Listener.Addr())))
	if got := peers.Load(); got != 5 {
		t.Errorf("5 requests made %d connections", got)
	}
}
