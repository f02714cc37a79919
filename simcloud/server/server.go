// Package server is the cloud's own wire format, JSON over HTTP, and the first codec
// at the edge: it routes, decodes and encodes, and knows no rule of the cloud.
package server

import (
	"net/http"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// Config is what a server answers for, with what its edge works with.
type Config struct {
	edge.Config
	API     simcloud.API
	Control simcloud.Control
	// Profile serves profiles of the process at /debug/pprof/, to admins.
	Profile bool
	// Cluster is what the console shows of the Kubernetes cluster on the cloud; nil without one.
	Cluster *console.Cluster
	// Ready says why the cloud cannot answer yet, for /readyz; nil means that it always can.
	Ready func() error
	// Host reports why a request is refused by its Host; nil: none is.
	Host func(*http.Request) *simcloud.Error
	// Dialects are the other wire formats of the cloud, by the beginnings of their paths, such as
	// "/hcloud/". They share the edge's limits, faults, journal and metrics with the cloud's own.
	Dialects map[string]edge.Codec
	// Titles are those of the APIs that the dialects speak, by the paths of their endpoints, for GET /.
	Titles map[string]string
}

type server struct {
	Config
	edge        *edge.Edge
	codec       edge.Codec
	description func() (description, error)
}

// New returns the handler for all that a cloud answers. When the context of a
// request ends with an *Error as its cause, that is the last message of a stream.
func New(cfg Config) http.Handler {
	s := &server{Config: cfg, edge: edge.New(cfg.Config)}
	s.Config.Config = s.edge.Config
	if s.Ready == nil {
		s.Ready = func() error { return nil }
	}
	s.description = sync.OnceValues(s.describe)
	return s.guarded(s.routes())
}
