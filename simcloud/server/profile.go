package server

import (
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
