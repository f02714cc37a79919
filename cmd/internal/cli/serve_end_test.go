package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestServeEndsWithHalfARequest: a client that never sends what it has begun
// does not make the end of serve a failure.
func TestServeEndsWithHalfARequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	s, err := startServe(dir, os.Environ(), []string{"--ephemeral", "--token-file", token})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := os.ReadFile(token)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{",
		strings.TrimSpace(string(secret))); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the request is under way", func() bool {
		return strings.Contains(metricsOf(t, s), "\nsimcloud_requests_in_flight 1\n")
	})
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Errorf("serve ended in %v", err)
	}
}

// metricsOf is what a cloud tells of itself.
func metricsOf(t *testing.T, s *served) string {
	t.Helper()
	res, err := http.Get(s.url() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestServeRemovesWhatDeadCloudsLeft: kill -9 leaves the folder of an ephemeral
// cloud, until the next one starts. That of a cloud that lives stays.
func TestServeRemovesWhatDeadCloudsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append(os.Environ(), "TMPDIR="+dir)
	start := func() (*served, []string) {
		s, err := startServe(dir, env, []string{"--ephemeral"})
		if err != nil {
			t.Fatal(err)
		}
		folders, err := filepath.Glob(filepath.Join(dir, "simcloud-*"))
		if err != nil {
			t.Fatal(err)
		}
		return s, folders
	}
	killed, first := start()
	_ = killed.end(syscall.SIGKILL) // its wait says that it was killed
	second, folders := start()
	if len(first) != 1 || len(folders) != 1 || folders[0] == first[0] {
		t.Errorf("the first cloud has left %v, beside the second one is %v", first, folders)
	}
	third, both := start()
	if len(both) != 2 {
		t.Errorf("two clouds live and have %v", both)
	}
	for _, s := range []*served{second, third} {
		if err := s.end(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
}

// TestServeWarnsOfTokensInTheClear: only where other machines can read them.
func TestServeWarnsOfTokensInTheClear(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  []string
		warns bool
	}{
		"all addresses":           {[]string{"--listen", "0.0.0.0:0"}, true},
		"all addresses, over TLS": {[]string{"--listen", "0.0.0.0:0", "--tls-self-signed"}, false},
		"this machine alone":      {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := startServe(t.TempDir(), os.Environ(), append(c.args, "--ephemeral"))
			if err != nil {
				t.Fatal(err)
			}
			if _, address, _ := strings.Cut(s.url(), "://"); !strings.HasPrefix(address, "127.0.0.1:") {
				t.Errorf("ready on %s, where no client finds it", s.url())
			}
			if err := s.end(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			log := s.cmd.Stderr.(*strings.Builder).String()
			warns := strings.Contains(log, "tokens travel in the clear") && strings.Contains(log, "--tls-self-signed")
			if warns != c.warns || strings.Count(log, "\n") > 1 {
				t.Errorf("warns: %t, want %t, in one line:\n%s", warns, c.warns, log)
			}
		})
	}
}
