package server

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// routes are those of the endpoints by their collections, and all others. A
// router asks one route after the other whether it fits; with one for each
// collection, a call costs what its collection has, not what all have. A
// collection's router is made when it is first called: all of them take most of a server's start.
type routes struct {
	collections map[string]func() *mux.Router
	others      *mux.Router
	calls       http.Handler // the cloud's own format at the edge
	dialects    map[string]http.Handler
}

// ServeHTTP serves the calls of the cloud's collections, those of a dialect, and all others.
func (rs *routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, ok := rs.collections[collection(r.URL.EscapedPath())]; ok {
		rs.calls.ServeHTTP(w, r)
		return
	}
	for prefix, dialect := range rs.dialects {
		if strings.HasPrefix(r.URL.Path+"/", prefix) { // the path of a dialect may be that of one call too
			dialect.ServeHTTP(w, r)
			return
		}
	}
	rs.others.ServeHTTP(w, r)
}

// Match finds the operation in the router of the path's collection.
func (rs *routes) Match(r *http.Request) (edge.Operation, *http.Request) {
	router := rs.others
	if of, ok := rs.collections[collection(r.URL.EscapedPath())]; ok {
		router = of()
	}
	var match mux.RouteMatch
	router.Match(r, &match)
	if errors.Is(match.MatchErr, mux.ErrMethodMismatch) {
		return notAllowed(router, r), r
	}
	found, ok := match.Handler.(*route)
	if !ok {
		return edge.Operation{Endpoint: elsewhere(), Handle: unimplemented}, r
	}
	r = mux.SetURLVars(r, match.Vars)
	op := found.Operation
	op.ID, op.Waits = pathID(r, "id"), waits(op.Endpoint, r)
	return op, r
}

// waits reports whether a call may last for as long as its client has patience.
func waits(e simcloud.Endpoint, r *http.Request) bool {
	return e.Operation == "WaitOperation" || e.Operation == "ListJournal" && r.URL.Query().Has("settled")
}

// route is an operation as a router has it.
type route struct{ edge.Operation }

// ServeHTTP is for the router alone: the edge calls the operation that matches.
func (*route) ServeHTTP(http.ResponseWriter, *http.Request) {}

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
func (s *server) routes() *routes {
	endpoints := map[string][]simcloud.Endpoint{}
	for _, e := range simcloud.Endpoints() {
		endpoints[collection(e.Path)] = append(endpoints[collection(e.Path)], e)
	}
	handlers, streams := s.handlers(), s.streams()
	rs := &routes{collections: map[string]func() *mux.Router{}, dialects: map[string]http.Handler{}}
	s.codec = native{rs}
	rs.calls, rs.others = s.edge.Handler(s.codec), s.others()
	rs.others.NotFoundHandler, rs.others.MethodNotAllowedHandler = rs.calls, rs.calls
	for prefix, codec := range s.Dialects {
		rs.dialects[prefix] = s.edge.Handler(codec)
	}
	for name, all := range endpoints {
		rs.collections[name] = sync.OnceValue(func() *mux.Router {
			router := newRouter()
			for _, e := range all {
				router.Handle(e.Path, s.route(e, handlers, streams)).Methods(e.Method).Name(e.Operation)
			}
			return router
		})
	}
	return rs
}

// route is the operation of an endpoint.
func (s *server) route(e simcloud.Endpoint, handlers map[string]operation, streams map[string]streaming) *route {
	op := edge.Operation{Endpoint: e, Handle: unimplemented, Subject: subjectOf}
	if stream, ok := streams[e.Operation]; ok {
		op.Handle, op.Stream = nil, stream.open
	} else if handler, ok := handlers[e.Operation]; ok {
		op.Handle = s.encoding(e, handler.handle)
	}
	return &route{op}
}

// newRouter returns one that has no routes yet.
func newRouter() *mux.Router {
	// Paths are matched as they were sent: an id may be any text, once escaped.
	return mux.NewRouter().UseEncodedPath().SkipClean(true)
}

// others has what is not an operation.
func (s *server) others() *mux.Router {
	r := newRouter()
	r.HandleFunc("/healthz", s.healthz).Methods(http.MethodGet)
	r.HandleFunc("/readyz", s.readyz).Methods(http.MethodGet)
	r.Handle("/metrics", s.edge.Metrics()).Methods(http.MethodGet)
	if s.Profile {
		r.PathPrefix(profilePath).Handler(s.profiles())
	}
	r.HandleFunc(documentPath, s.serveDocument()).Methods(http.MethodGet)
	r.HandleFunc(docsPath, s.serveDocs()).Methods(http.MethodGet)
	r.Handle(console.ClusterPath, s.cluster()).Methods(http.MethodGet)
	r.PathPrefix(console.Path).Handler(console.Handler()).Methods(http.MethodGet)
	r.HandleFunc("/", s.serveLanding).Methods(http.MethodGet)
	return r
}
