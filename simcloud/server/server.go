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

	"github.com/prometheus/client_golang/prometheus"

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
	// Rates are how often tokens may call; nil means as often as they like.
	Rates func() []simcloud.Rate
	// Clock is the cloud's clock, by which Rates are; nil means a real one.
	Clock func() simcloud.ClockStatus
	// Collectors are what /metrics says besides what the server counts itself.
	Collectors []prometheus.Collector
	// Profile serves profiles of the process at /debug/pprof/, to admins.
	Profile bool
	// Log gets a line for each request, and the causes that clients are not told; nil discards them.
	Log *slog.Logger
	// Ready says why the cloud cannot answer yet, for /readyz; nil means that it always can.
	Ready func() error
	// Heartbeat is how often a silent stream says that it lives; 0 means 15 s.
	Heartbeat time.Duration
	// EventLimit is how long a client may take to accept one message of a stream; 0 means 15 s.
	EventLimit time.Duration
	// Streams is how many streams and waits each token may have open below /v1; 0 means DefaultStreams.
	Streams int
	// Requests is how many other requests of each token below /v1 may be under way; 0 means DefaultRequests.
	Requests int
}

type server struct {
	Config
	metrics     *metrics
	limiter     *limiter
	places      *places
	requests    atomic.Uint64
	description func() (description, error)
}

// DefaultHeartbeat is how often a silent stream says that it lives.
const DefaultHeartbeat = 15 * time.Second

// DefaultEventLimit is how long a client may take to accept one message of a stream.
const DefaultEventLimit = 15 * time.Second

func (cfg Config) withDefaults() Config {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Ready == nil {
		cfg.Ready = func() error { return nil }
	}
	if cfg.Faults == nil {
		cfg.Faults = fault.New(fault.Config{})
	}
	if cfg.Rates == nil {
		cfg.Rates = func() []simcloud.Rate { return nil }
	}
	if cfg.Clock == nil {
		cfg.Clock = func() simcloud.ClockStatus { return simcloud.ClockStatus{Now: time.Now()} }
	}
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = DefaultHeartbeat
	}
	if cfg.EventLimit == 0 {
		cfg.EventLimit = DefaultEventLimit
	}
	if cfg.Streams == 0 {
		cfg.Streams = DefaultStreams
	}
	if cfg.Requests == 0 {
		cfg.Requests = DefaultRequests
	}
	return cfg
}

// New returns the handler for all that a cloud answers. When the context of a
// request ends with an *Error as its cause, that is the last word of a stream.
func New(cfg Config) http.Handler {
	s := &server{Config: cfg.withDefaults(), metrics: newMetrics(), limiter: newLimiter(), places: newPlaces()}
	s.metrics.registry.MustRegister(s.Collectors...)
	s.description = sync.OnceValues(s.describe)
	return s.routes()
}
