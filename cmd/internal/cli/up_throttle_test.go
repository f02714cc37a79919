package cli

import (
	"strings"
	"testing"
)

// TestThrottled finds what client-go logs, in its words of today and in those of older versions.
func TestThrottled(t *testing.T) {
	t.Parallel()
	const (
		today  = `I1126 12:30:01.000000   42 request.go:752] "Waited before sending request" delay="1.0512s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://127.0.0.1:6443/api/v1/nodes/a"`
		before = `I1126 12:29:01.000000   42 request.go:697] Waited for 2.5s due to client-side throttling, not priority and fairness, request: GET:https://127.0.0.1:6443/api/v1/nodes/a`
		server = `I1126 12:29:01.000000   42 request.go:752] "Waited before sending request" delay="3s" reason="retries: 1, retry-after: 1s - retry-reason: 429" verb="GET" URL="https://127.0.0.1:6443/"`
		other  = `I1126 12:30:02.000000   42 node_controller.go:1] "Initialized node" node="a"`
	)
	for name, test := range map[string]struct {
		log  []string
		want string
	}{
		"nothing":    {nil, ""},
		"other":      {[]string{other, server}, ""},
		"today":      {[]string{other, today, other}, "a call waited 1.0512s; raise it"},
		"before":     {[]string{before}, "a call waited 2.5s; raise it"},
		"the latest": {[]string{before, today}, "a call waited 1.0512s; raise it"},
		"no delay":   {[]string{"client-side throttling"}, "throttled by its own limit; raise it"},
	} {
		if got := throttled(test.log); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
