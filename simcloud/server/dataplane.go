package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (s *server) getDataPlane(r *http.Request) (reply, error) {
	plane, err := s.Control.GetDataPlane(r.Context())
	return reply{status: http.StatusOK, body: plane}, err
}

// healthReport is the body of ReportTargetHealth.
type healthReport struct {
	Health simcloud.TargetHealth `json:"health"`
}

func (s *server) reportTargetHealth(r *http.Request) (reply, error) {
	body, err := decode[healthReport](r)
	if err != nil {
		return reply{}, err
	}
	err = s.Control.ReportTargetHealth(r.Context(), pathID(r, "id"), pathID(r, "instance"), body.Health)
	return reply{status: http.StatusOK, body: done{true}}, err
}
