package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/console"
)

// TestConsole: a browser gets the console at /, without a token and under a policy that runs nothing but its own files;
// everyone else reads what is served where.
func TestConsole(t *testing.T) {
	t.Parallel()
	s := serve(t)
	res, page := s.send(t, "GET", "/", "", "Authorization", "", "Accept", "text/html,*/*;q=0.8")
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(string(page), "<title>simcloud</title>") {
		t.Fatalf("%d %s %s", res.StatusCode, res.Header.Get("Content-Type"), page)
	}
	policy := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q has no %s", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(string(page), "style=") || strings.Contains(string(page), "onclick") {
		t.Errorf("code or style is in the page, or the policy %q lets it be", policy)
	}
	tag := res.Header.Get("ETag")
	if res, _ := s.send(t, "GET", "/", "", "Authorization", "", "Accept", "text/html", "If-None-Match", tag); res.StatusCode != http.StatusNotModified {
		t.Errorf("the page that the browser has is answered by %d", res.StatusCode)
	}
	res, text := s.send(t, "GET", "/", "", "Authorization", "", "Accept", "*/*")
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") || !strings.Contains(string(text), "/docs") || res.Header.Get("Vary") != "Accept" {
		t.Errorf("a program gets %s, varying by %q: %s", res.Header.Get("Content-Type"), res.Header.Get("Vary"), text)
	}
}

// TestConsoleFiles: the files of the console are served by their types, and nothing else is.
func TestConsoleFiles(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for path, want := range map[string]string{"main.js": "text/javascript; charset=utf-8", "console.css": "text/css; charset=utf-8"} {
		if res, _ := s.send(t, "GET", console.Path+path, "", "Authorization", ""); res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != want {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Header.Get("Content-Type"))
		}
	}
	for _, path := range []string{"", "console.go", "none.js", "../console.go", "..%2fconsole.go", "."} {
		if res, body := s.send(t, "GET", console.Path+path, "", "Authorization", ""); res.StatusCode < 300 {
			t.Errorf("%q: %d %s", path, res.StatusCode, body)
		}
	}
	for _, path := range []string{"/v1/instances", "/_sim/state", "/_sim/journal/events", "/console"} {
		if res, _ := s.send(t, "GET", path, "", "Authorization", "", "Accept", "text/html"); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, res.StatusCode)
		}
	}
}
