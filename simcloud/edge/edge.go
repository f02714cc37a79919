// Package edge is what all wire formats of a cloud share: it authenticates a
// request, limits its rate, applies the fault that matches it, calls the handler,
// and records the call in journal, metrics and log before the answer is sent. How a
// request names an operation and what an answer looks like is up to a [Codec].
//
// Package server is the codec of the cloud's own format. A dialect, the API of
// another cloud over the same core, is one more codec at the same edge.
package edge

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

// Authenticator knows the caller that a token stands for; Unauthenticated for an unknown token.
type Authenticator interface {
	Authenticate(ctx context.Context, secret string) (simcloud.Caller, error)
}

// Config is what an edge works with.
type Config struct {
	Journal *journal.Journal
	// Faults are the rules for calls that go wrong; nil means a set of its own, without rules.
	Faults *fault.Set
	Auth   Authenticator
	// Rates are how often tokens and projects may call; nil means without limit.
	Rates func() []simcloud.Rate
	// Clock is the cloud's clock, by which Rates are; nil means a real one.
	Clock func() simcloud.ClockStatus
	// Collectors are metrics besides those that the edge counts itself.
	Collectors []prometheus.Collector
	// Log gets a line for each request, and the causes that clients are not told; nil discards them.
	Log *slog.Logger
	// Heartbeat is the interval of the sign of life in a silent stream; 0 means 15 s.
	Heartbeat time.Duration
	// EventLimit is how long a client may take to accept one message of a stream; 0 means 15 s.
	EventLimit time.Duration
	// Streams is how many streams and waits each token may have open below /v1; 0 means DefaultStreams.
	Streams int
	// Requests is how many other requests of each token below /v1 may be under way; 0 means DefaultRequests.
	Requests int
}

// Edge serves any number of codecs, which share its limits, rules and metrics.
type Edge struct {
	Config
	metrics  *metrics
	limiter  *limiter
	places   *places
	requests atomic.Uint64
}

// DefaultHeartbeat is the interval of the sign of life in a silent stream.
const DefaultHeartbeat = 15 * time.Second

// DefaultEventLimit is how long a client may take to accept one message of a stream.
const DefaultEventLimit = 15 * time.Second

func (cfg Config) withDefaults() Config {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
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

// New returns an edge, whose Config has the defaults filled in.
func New(cfg Config) *Edge {
	e := &Edge{Config: cfg.withDefaults(), metrics: newMetrics(), limiter: newLimiter(), places: newPlaces()}
	e.metrics.registry.MustRegister(e.Collectors...)
	return e
}

// Metrics serves the metrics of all codecs.
func (e *Edge) Metrics() http.Handler { return e.metrics.handler() }

// Forget forgets what is remembered of the cloud's resources and of its callers'
// rates: after a reset it is another cloud, in which an id may name something else.
func (e *Edge) Forget() {
	e.Faults.Unlock()
	e.limiter.forget()
}

// Handler serves the operations of a codec. When the context of a request ends with
// an *Error as its cause, that is the last message of a stream.
func (e *Edge) Handler(codec Codec) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := e.keepBody(codec, r)
		defer sent.who().end()
		op, r := codec.Match(r)
		sent.who().matched()
		c := e.begin(codec, op, w, r)
		c.sent = sent
		if op.Stream != nil {
			c.serveStream(w, r)
		} else {
			c.serve(w, r)
		}
	})
}

// Guard lets a request through to next when its caller may perform the operation.
// It is for what is no call of the cloud: neither the journal nor the counters of requests have it.
func (e *Edge) Guard(codec Codec, endpoint simcloud.Endpoint, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := e.begin(codec, Operation{Endpoint: endpoint}, w, r)
		defer e.metrics.inFlight.Dec()
		if _, err := c.authenticated(r); err != nil {
			codec.WriteProblem(w, c.problem(err))
			return
		}
		next.ServeHTTP(w, r)
	})
}
