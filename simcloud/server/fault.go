package server

import (
	"encoding/json"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

func (s *server) faults() map[string]operation {
	return map[string]operation{
		"ListFaults":  typed[none, simcloud.Page[fault.Rule]](http.StatusOK, plain(s.listFaults)),
		"GetFault":    typed[none, fault.Rule](http.StatusOK, plain(s.getFault)),
		"AddFault":    typed[fault.Rule, fault.Rule](http.StatusCreated, plain(s.addFault)),
		"DeleteFault": typed[none, done](http.StatusOK, plain(s.deleteFault)),
		"ClearFaults": typed[none, done](http.StatusOK, plain(s.clearFaults)),
	}
}

func (s *server) listFaults(r *http.Request) (edge.Reply, error) {
	rules, err := s.Faults.ListFaults(r.Context())
	page := simcloud.Page[fault.Rule]{Items: append([]fault.Rule{}, rules...)}
	return edge.Reply{Status: http.StatusOK, Body: page}, err
}

func (s *server) getFault(r *http.Request) (edge.Reply, error) {
	rule, err := s.Faults.GetFault(r.Context(), pathID(r, "id"))
	return edge.Reply{Status: http.StatusOK, Body: rule}, err
}

func (s *server) addFault(r *http.Request) (edge.Reply, error) {
	body, err := readBody(r)
	if err != nil {
		return edge.Reply{}, err
	}
	if !json.Valid(body) {
		return edge.Reply{}, badBody(http.StatusBadRequest, "a fault rule as JSON is needed")
	}
	rule, err := fault.Parse(body)
	if err != nil {
		return edge.Reply{}, err
	}
	rule, err = s.Faults.AddFault(r.Context(), rule)
	return edge.Reply{Status: http.StatusCreated, Body: rule}, err
}

func (s *server) deleteFault(r *http.Request) (edge.Reply, error) {
	if err := refuseBody(r); err != nil {
		return edge.Reply{}, err
	}
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, s.Faults.DeleteFault(r.Context(), pathID(r, "id"))
}

func (s *server) clearFaults(r *http.Request) (edge.Reply, error) {
	if err := refuseBody(r); err != nil {
		return edge.Reply{}, err
	}
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, s.Faults.ClearFaults(r.Context())
}
