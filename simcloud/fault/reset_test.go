package fault_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// TestResetOfEachWire: a connection is reset, in plain and under TLS; of HTTP/2 it is the stream.
func TestResetOfEachWire(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*httptest.Server){
		"plain":  (*httptest.Server).Start,
		"TLS":    (*httptest.Server).StartTLS,
		"HTTP/2": func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	} {
		for _, when := range []string{"before", "after"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				rule := l.add(`{"match": {"operation": "CreateInstance"}, "effect": {"reset": {"when": "` + when + `"}}}`)
				srv := httptest.NewUnstartedServer(server.New(server.Config{
					API: l.cloud.Core(), Control: l.cloud.Core(),
					Config: edge.Config{Journal: l.cloud.Journal(), Faults: l.cloud.Faults(), Auth: l.cloud.Core()},
				}))
				start(srv)
				t.Cleanup(srv.Close)
				c := l.dial(func(cfg *client.Config) {
					cfg.Endpoint, cfg.Transport, cfg.Retries = srv.URL, srv.Client().Transport, -1
				})
				_, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
				l.want(err, simcloud.Unavailable)
				if http2 := name == "HTTP/2"; errors.Is(err, syscall.ECONNRESET) == http2 || strings.Contains(err.Error(), "stream error") != http2 {
					t.Errorf("got %v", err)
				}
				committed := when == "after"
				if entry := l.recorded(rule.ID); entry.Committed != committed || (len(l.named("a")) == 1) != committed {
					t.Errorf("instances %v, journal %+v", l.named("a"), entry)
				}
				if _, err := c.ListRegions(t.Context(), simcloud.ListOptions{}); err != nil {
					t.Errorf("the next call: %v", err)
				}
			})
		}
	}
}
