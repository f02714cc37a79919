package server

import (
	"errors"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// cluster serves what the console shows of the Kubernetes cluster on the cloud, to admins. That is not of the cloud:
// it is in neither the API, the journal nor the metrics.
func (s *server) cluster() http.Handler {
	endpoint := simcloud.Endpoint{Operation: "ShowCluster", Method: http.MethodGet, Path: "/_sim/cluster"}
	return s.edge.Guard(s.codec, endpoint, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := readQuery(r)
		after := q.number("after")
		var problem *simcloud.Error
		if errors.As(q.err(), &problem) {
			s.codec.WriteProblem(w, edge.Problem{Err: problem, Endpoint: endpoint, RequestID: w.Header().Get("Simcloud-Request-Id")})
			return
		}
		s.Cluster.ServeChanges(w, after)
	}))
}
