package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// TestProfiles are for admins, and only where they are asked for.
func TestProfiles(t *testing.T) {
	t.Parallel()
	serve(t).refused(t, "GET", "/debug/pprof/", "", http.StatusNotImplemented, simcloud.Unimplemented)
	s := serve(t, func(cfg *server.Config) { cfg.Profile = true })
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline"} {
		s.refused(t, "GET", path, "", http.StatusUnauthorized, simcloud.Unauthenticated, "Authorization", "")
		s.refused(t, "GET", path, "", http.StatusForbidden, simcloud.Forbidden, "Authorization", "Bearer reader")
		if res, raw := s.send(t, "GET", path, ""); res.StatusCode != http.StatusOK || len(raw) == 0 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	if _, raw := s.send(t, "GET", "/debug/pprof/goroutine?debug=1", ""); !strings.Contains(string(raw), "goroutine profile:") {
		t.Errorf("no profile: %.100s", raw)
	}
}
