package server

import (
	"net/http"
	"net/http/pprof"

	"github.com/simcloud-dev/simcloud/simcloud"
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := s.begin(w, r, simcloud.Endpoint{Operation: "Profile", Method: http.MethodGet, Path: "/_sim/pprof"})
		defer s.metrics.inFlight.Dec()
		if _, err := c.authenticated(r); err != nil {
			newProblem(err, c.id).write(w)
			return
		}
		unlimited(w)
		routes.ServeHTTP(w, r)
	})
}
