package server

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// elsewhere is the endpoint of requests that are to none.
func elsewhere() simcloud.Endpoint {
	return simcloud.Endpoint{Operation: "Unknown", Method: http.MethodGet}
}

// unimplemented answers for a path that there is not: it must not look like a resource that is gone.
func unimplemented(r *http.Request) (edge.Reply, error) {
	return edge.Reply{}, simcloud.Errorf(simcloud.Unimplemented, "", "unknown operation %s %s", r.Method, r.URL.Path)
}

// notAllowed is the operation of a path that has other methods; its answer says which.
func notAllowed(router *mux.Router, r *http.Request) edge.Operation {
	return edge.Operation{
		Endpoint: elsewhere(),
		Header:   http.Header{"Allow": {strings.Join(methods(router, r), ", ")}},
		Handle: func(r *http.Request) (edge.Reply, error) {
			_, err := unimplemented(r)
			return edge.Reply{}, edge.StatusError{Status: http.StatusMethodNotAllowed, Err: err}
		},
	}
}

// methods are those that the path of a request has.
func methods(routes *mux.Router, r *http.Request) []string {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		var match mux.RouteMatch
		if routes.Match(other, &match) && match.MatchErr == nil {
			allowed = append(allowed, method)
		}
	}
	return allowed
}
