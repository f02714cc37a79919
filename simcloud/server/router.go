package server

import (
	"net/http"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// routes are those of the endpoints by their collections, and all others. A
// router asks one route after the other whether it fits; with one for each
// collection, a call costs what its collection has, not what all have. A
// collection's router is made when it is first called: all of them take most of a server's start.
type routes struct {
	collections map[string]func() *mux.Router
	others      *mux.Router
}

// ServeHTTP finds the router of the path's collection.
func (rs routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if router, ok := rs.collections[collection(r.URL.EscapedPath())]; ok {
		router().ServeHTTP(w, r)
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
	endpoints := map[string][]simcloud.Endpoint{}
	for _, e := range simcloud.Endpoints() {
		endpoints[collection(e.Path)] = append(endpoints[collection(e.Path)], e)
	}
	handlers, streams := s.handlers(), s.streams()
	rs := routes{collections: map[string]func() *mux.Router{}, others: s.others()}
	for name, all := range endpoints {
		rs.collections[name] = sync.OnceValue(func() *mux.Router {
			router := s.router()
			for _, e := range all {
				router.Handle(e.Path, s.handler(e, handlers, streams)).Methods(e.Method).Name(e.Operation)
			}
			return router
		})
	}
	return rs
}

// handler answers the calls of an endpoint.
func (s *server) handler(e simcloud.Endpoint, handlers map[string]operation, streams map[string]streaming) http.Handler {
	if stream, ok := streams[e.Operation]; ok {
		return s.streamed(e, stream.open)
	}
	if op, ok := handlers[e.Operation]; ok {
		return s.answered(e, s.encoding(e, op.handle))
	}
	return s.answered(e, unimplemented)
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
