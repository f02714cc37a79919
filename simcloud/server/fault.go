package server

import (
	"encoding/json"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
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

func (s *server) listFaults(r *http.Request) (reply, error) {
	rules, err := s.Faults.ListFaults(r.Context())
	page := simcloud.Page[fault.Rule]{Items: append([]fault.Rule{}, rules...)}
	return reply{status: http.StatusOK, body: page}, err
}

func (s *server) getFault(r *http.Request) (reply, error) {
	rule, err := s.Faults.GetFault(r.Context(), pathID(r, "id"))
	return reply{status: http.StatusOK, body: rule}, err
}

func (s *server) addFault(r *http.Request) (reply, error) {
	body, err := readBody(r)
	if err != nil {
		return reply{}, err
	}
	if !json.Valid(body) {
		return reply{}, badBody(http.StatusBadRequest, "a fault rule as JSON is needed")
	}
	rule, err := fault.Parse(body)
	if err != nil {
		return reply{}, err
	}
	rule, err = s.Faults.AddFault(r.Context(), rule)
	return reply{status: http.StatusCreated, body: rule}, err
}

func (s *server) deleteFault(r *http.Request) (reply, error) {
	if err := noBody(r); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, body: done{true}}, s.Faults.DeleteFault(r.Context(), pathID(r, "id"))
}

func (s *server) clearFaults(r *http.Request) (reply, error) {
	if err := noBody(r); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, body: done{true}}, s.Faults.ClearFaults(r.Context())
}
