package sim_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// lockedBuffer is a buffer that many goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestTokenIsNowhere: wherever a caller writes its own token, and in whatever form, neither the journal nor the log shows it.
func TestTokenIsNowhere(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	cloud := open(t, sim.Config{Ephemeral: true, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	token := cloud.Token()
	session := login(t, cloud)
	encoded := base64.RawURLEncoding.EncodeToString([]byte("x" + token))
	var escaped strings.Builder
	for _, c := range []byte(token) {
		escaped.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[c>>4])+string("0123456789abcdef"[c&15])))
	}
	bearer := func(more ...string) http.Header {
		header := http.Header{"Authorization": {"Bearer " + token}, "X-Auth-Token": {session}, "X-Amz-Security-Token": {token}}
		for i := 0; i+1 < len(more); i += 2 {
			header.Set(more[i], more[i+1])
		}
		return header
	}
	for _, c := range []struct {
		method, path, body string
		header             http.Header
	}{
		{"GET", "/hcloud/v1/servers/" + token, "", bearer()},
		{"GET", "/v1/instances/" + token, "", bearer()},
		{"GET", "/v1/instances/" + encoded, "", bearer()},
		{"GET", "/v1/instances/" + escaped.String(), "", bearer()},
		{"GET", "/v1/none/" + session, "", bearer()},
		{"GET", "/v1/instances?name=" + escaped.String() + "&selector=" + token, "", bearer()},
		{"GET", "/v1/instances", "", bearer("User-Agent", "ccm/"+token)},
		{"GET", "/v1/instances", "", bearer("User-Agent", "ccm/"+encoded, "Simcloud-Request-Id", token)},
		{"GET", "/openstack/compute/v2.1/servers/" + session + "?x=" + session, "", bearer()},
		{"GET", "/openstack/compute/v2.1/servers/" + encoded, "", bearer("User-Agent", session)},
		{"POST", "/openstack/load-balancer/v2.0/lbaas/listeners", "auth=" + session, bearer()},
		{"POST", "/openstack/load-balancer/v2.0/lbaas/listeners", `{"listener": {"name": "` + encoded + `", "` + token + `": 1}}`, bearer()},
		{"POST", "/aws", "Action=" + token + "&Version=2016-11-15", bearer()},
		{"POST", "/aws", "Action=DescribeInstances&Version=" + token + "&InstanceId.1=" + encoded, bearer()},
		{"POST", "/v1/instances", `{"name": "` + token + ` ` + encoded + `"}`, bearer("Content-Type", "text/"+token)},
		{"GET", "/v1/instances/" + strings.Repeat("a", 260) + token, "", bearer()},
	} {
		if status, _, _ := ask(t, c.method, cloud.URL()+c.path, c.body, c.header); status == http.StatusUnauthorized {
			t.Errorf("%s %s is %d", c.method, c.path, status)
		}
	}
	entries, err := cloud.Journal().ListJournal(t.Context(), simcloud.JournalFilter{Bodies: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		raw, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		shows(t, string(raw), token)
	}
	for line := range strings.Lines(log.String()) {
		shows(t, line, token)
	}
}

// shows fails the test when a text shows eight bytes of a token, as they are or in what is base64 of them.
func shows(t *testing.T, text, token string) {
	t.Helper()
	const part = 8
	decoded := []string{text}
	word := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
	}
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return !word(c) }) {
		for from := range min(4, len(w)) {
			end := len(w) - (len(w)-from)%4
			if raw, err := base64.RawURLEncoding.DecodeString(w[from:end]); err == nil {
				decoded = append(decoded, string(raw))
			}
		}
	}
	for _, plain := range decoded {
		for at := 0; at+part <= len(token); at++ {
			if strings.Contains(plain, token[at:at+part]) {
				t.Errorf("it shows %q of the token: %s", token[at:at+part], text)
				return
			}
		}
	}
}
