package server

import (
	"io"
	"net/http"
	"net/http/pprof"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

const profilePath = "/debug/pprof/"

// profiles serves what the process does, to admins. Profiles take longer than
// other answers, and are in neither the journal nor the metrics.
func (s *server) profiles() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc(profilePath, pprof.Index)
	for name, handle := range map[string]http.HandlerFunc{
		"cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
	} {
		routes.HandleFunc(profilePath+name, handle)
	}
	endpoint := simcloud.Endpoint{Operation: "Profile", Method: http.MethodGet, Path: "/_sim/pprof"}
	return s.edge.Guard(s.codec, endpoint, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		edge.Unlimited(w)
		routes.ServeHTTP(w, r)
	}))
}

// healthz says that the process lives.
func (s *server) healthz(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "ok\n")
}

// readyz says whether the cloud answers, or why it does not.
func (s *server) readyz(w http.ResponseWriter, _ *http.Request) {
	if err := s.Ready(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}
