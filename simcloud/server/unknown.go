package server

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// elsewhere is the endpoint of requests that are to none.
func elsewhere() simcloud.Endpoint {
	return simcloud.Endpoint{Operation: "Unknown", Method: http.MethodGet}
}

// unimplemented answers for a path that there is not: it must not look like a resource that is gone.
func unimplemented(r *http.Request) (reply, error) {
	return reply{}, simcloud.Errorf(simcloud.Unimplemented, "", "there is no operation %s %s", r.Method, r.URL.Path)
}

// notAllowed answers for a path that has other methods, and says which.
func (s *server) notAllowed(routes *mux.Router) http.Handler {
	refuse := s.answered(elsewhere(), func(r *http.Request) (reply, error) {
		_, err := unimplemented(r)
		return reply{}, precise{http.StatusMethodNotAllowed, err}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(methods(routes, r), ", "))
		refuse.ServeHTTP(w, r)
	})
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

// maxHeaders is how many headers a request may have. Their length is the HTTP server's concern.
const maxHeaders = 128

func fewHeaders(r *http.Request) error {
	n := 0
	for _, values := range r.Header {
		n += len(values)
	}
	if n > maxHeaders {
		return precise{http.StatusRequestHeaderFieldsTooLarge, invalidField("headers", "there are %d: at most %d are right", n, maxHeaders)}
	}
	return nil
}
