// Package server answers HTTP requests for a cloud: it routes, decodes,
// encodes and records, and knows no rule of the cloud.
package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/mux"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

// Authenticator knows who a token stands for; Unauthenticated when nobody.
type Authenticator interface {
	Authenticate(ctx context.Context, secret string) (simcloud.Caller, error)
}

// Config is what a server answers for.
type Config struct {
	API     simcloud.API
	Control simcloud.Control
	Journal *journal.Journal
	// Faults says which calls go wrong; nil means a set of its own, without rules.
	Faults *fault.Set
	Auth   Authenticator
	// Log gets a line for each request, and the causes that clients are not told; nil discards them.
	Log *slog.Logger
	// Ready says why the cloud cannot answer yet, for /readyz; nil means that it always can.
	Ready func() error
	// Heartbeat is how often a silent stream says that it lives; 0 means 15 s.
	Heartbeat time.Duration
}

type server struct {
	Config
	metrics     *metrics
	requests    atomic.Uint64
	description func() (description, error)
}

// DefaultHeartbeat is how often a silent stream says that it lives.
const DefaultHeartbeat = 15 * time.Second

// New returns the handler for all that a cloud answers. When the context of a
// request ends with an *Error as its cause, that is the last word of a stream.
func New(cfg Config) http.Handler {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Ready == nil {
		cfg.Ready = func() error { return nil }
	}
	if cfg.Faults == nil {
		cfg.Faults = fault.New(fault.Config{})
	}
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = DefaultHeartbeat
	}
	s := &server{Config: cfg, metrics: newMetrics()}
	s.description = sync.OnceValues(s.describe)
	return s.router()
}

// router binds the handlers to the endpoints by the names of the operations.
func (s *server) router() *mux.Router {
	// Paths are matched as they were sent: an id may be any text, once escaped.
	r := mux.NewRouter().UseEncodedPath().SkipClean(true)
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
		r.Handle(e.Path, h).Methods(e.Method).Name(e.Operation)
	}
	r.HandleFunc("/healthz", s.healthz).Methods(http.MethodGet)
	r.HandleFunc("/readyz", s.readyz).Methods(http.MethodGet)
	r.Handle("/metrics", s.metrics.handler()).Methods(http.MethodGet)
	r.HandleFunc(documentPath, s.serveDocument()).Methods(http.MethodGet)
	r.HandleFunc(docsPath, s.serveDocs()).Methods(http.MethodGet)
	// An unknown path must not look like a resource that is gone.
	unknown := s.answered(simcloud.Endpoint{Operation: "Unknown", Method: http.MethodGet}, unimplemented)
	r.NotFoundHandler, r.MethodNotAllowedHandler = unknown, unknown
	return r
}

func unimplemented(r *http.Request) (reply, error) {
	return reply{}, simcloud.Errorf(simcloud.Unimplemented, "", "there is no operation %s %s", r.Method, r.URL.Path)
}
