package server

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// routes are those of the endpoints by their collections, and all others. A
// router asks one route after the other whether it fits; with one for each
// collection, a call costs what its collection has, not what all have.
type routes struct {
	collections map[string]*mux.Router
	others      *mux.Router
}

// ServeHTTP finds the router of the path's collection.
func (rs routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if router, ok := rs.collections[collection(r.URL.EscapedPath())]; ok {
		router.ServeHTTP(w, r)
		return
	}
	rs.others.ServeHTTP(w, r)
}

// collection is the beginning of a path that all paths of one kind share: its first two elements.
func collection(path string) string {
	first := strings.IndexByte(strings.TrimPrefix(path, "/"), '/')
	if first < 0 {
		return path
	}
	second := strings.IndexByte(path[first+2:], '/')
	if second < 0 {
		return path
	}
	return path[:first+2+second]
}

// routes binds the handlers to the endpoints by the names of the operations.
func (s *server) routes() routes {
	rs := routes{collections: map[string]*mux.Router{}, others: s.others()}
	handlers, streams := s.handlers(), s.streams()
	for _, e := range simcloud.Endpoints() {
		var h http.Handler
		if stream, ok := streams[e.Operation]; ok {
			h = s.streamed(e, stream.open)
		} else if op, ok := handlers[e.Operation]; ok {
			h = s.answered(e, op.handle)
		} else {
			h = s.answered(e, unimplemented)
		}
		router := rs.collections[collection(e.Path)]
		if router == nil {
			router = s.router()
			rs.collections[collection(e.Path)] = router
		}
		router.Handle(e.Path, h).Methods(e.Method).Name(e.Operation)
	}
	return rs
}

// router returns one that has no routes yet, and says so in the cloud's words.
func (s *server) router() *mux.Router {
	// Paths are matched as they were sent: an id may be any text, once escaped.
	r := mux.NewRouter().UseEncodedPath().SkipClean(true)
	r.NotFoundHandler = s.answered(elsewhere(), unimplemented)
	r.MethodNotAllowedHandler = s.notAllowed(r)
	return r
}

// others has what is not an operation.
func (s *server) others() *mux.Router {
	r := s.router()
	r.HandleFunc("/healthz", s.healthz).Methods(http.MethodGet)
	r.HandleFunc("/readyz", s.readyz).Methods(http.MethodGet)
	r.Handle("/metrics", s.metrics.handler()).Methods(http.MethodGet)
	if s.Profile {
		r.PathPrefix(profilePath).Handler(s.profiles())
	}
	r.HandleFunc(documentPath, s.serveDocument()).Methods(http.MethodGet)
	r.HandleFunc(docsPath, s.serveDocs()).Methods(http.MethodGet)
	return r
}
