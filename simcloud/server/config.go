package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

func (s *server) getConfig(r *http.Request) (edge.Reply, error) {
	config, err := s.Control.GetConfig(r.Context())
	return edge.Reply{Status: http.StatusOK, Body: config}, err
}

func (s *server) updateConfig(r *http.Request) (edge.Reply, error) {
	update, err := decode[simcloud.ConfigUpdate](r)
	if err != nil {
		return edge.Reply{}, err
	}
	config, err := s.Control.UpdateConfig(r.Context(), update)
	return edge.Reply{Status: http.StatusOK, Body: config}, err
}

func (s *server) seed(r *http.Request) (edge.Reply, error) {
	topology, err := decode[simcloud.Topology](r)
	if err != nil {
		return edge.Reply{}, err
	}
	report, err := s.Control.Seed(r.Context(), topology)
	return edge.Reply{Status: http.StatusOK, Body: report}, err
}
