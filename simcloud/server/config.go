package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (s *server) getConfig(r *http.Request) (reply, error) {
	config, err := s.Control.GetConfig(r.Context())
	return reply{status: http.StatusOK, body: config}, err
}

func (s *server) updateConfig(r *http.Request) (reply, error) {
	update, err := decode[simcloud.ConfigUpdate](r)
	if err != nil {
		return reply{}, err
	}
	config, err := s.Control.UpdateConfig(r.Context(), update)
	return reply{status: http.StatusOK, body: config}, err
}

func (s *server) seed(r *http.Request) (reply, error) {
	topology, err := decode[simcloud.Topology](r)
	if err != nil {
		return reply{}, err
	}
	report, err := s.Control.Seed(r.Context(), topology)
	return reply{status: http.StatusOK, body: report}, err
}
