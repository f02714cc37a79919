package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

func (s *server) getDataPlane(r *http.Request) (edge.Reply, error) {
	plane, err := s.Control.GetDataPlane(r.Context())
	return edge.Reply{Status: http.StatusOK, Body: plane}, err
}

// healthReport is the body of ReportTargetHealth.
type healthReport struct {
	Health simcloud.TargetHealth `json:"health"`
}

func (s *server) reportTargetHealth(r *http.Request) (edge.Reply, error) {
	body, err := decode[healthReport](r)
	if err != nil {
		return edge.Reply{}, err
	}
	err = s.Control.ReportTargetHealth(r.Context(), pathID(r, "id"), pathID(r, "instance"), body.Health)
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, err
}
