package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

func (s *server) getState(r *http.Request) (edge.Reply, error) {
	state, err := s.Control.GetState(r.Context())
	return edge.Reply{Status: http.StatusOK, Body: state}, err
}

// done answers an operation that has nothing else to say.
type done struct {
	Done bool `json:"done"`
}

func (s *server) reset(r *http.Request) (edge.Reply, error) {
	if err := noBody(r); err != nil {
		return edge.Reply{}, err
	}
	err := s.Control.Reset(r.Context())
	if err == nil {
		s.edge.Forget()
	}
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, err
}

func (s *server) getClock(r *http.Request) (edge.Reply, error) {
	status, err := s.Control.GetClock(r.Context())
	return edge.Reply{Status: http.StatusOK, Body: status}, err
}

func (s *server) setClock(r *http.Request) (edge.Reply, error) {
	spec, err := decode[simcloud.ClockSpec](r)
	if err != nil {
		return edge.Reply{}, err
	}
	status, err := s.Control.SetClock(r.Context(), spec)
	return edge.Reply{Status: http.StatusOK, Body: status}, err
}

// advance is the body of AdvanceClock.
type advance struct {
	By string `json:"by"`
}

func (s *server) advanceClock(r *http.Request) (edge.Reply, error) {
	body, err := decode[advance](r)
	if err != nil {
		return edge.Reply{}, err
	}
	var by simcloud.Duration
	if err := by.UnmarshalText([]byte(body.By)); err != nil {
		return edge.Reply{}, invalidField("by", "%v", err)
	}
	advanced, err := s.Control.AdvanceClock(r.Context(), by)
	return edge.Reply{Status: http.StatusOK, Body: advanced}, err
}

func (s *server) listJournal(r *http.Request) (edge.Reply, error) {
	filter, err := listJournalFilter(r)
	if err != nil {
		return edge.Reply{}, err
	}
	entries, err := s.Journal.ListJournal(r.Context(), filter)
	page := simcloud.Page[simcloud.JournalEntry]{Items: append([]simcloud.JournalEntry{}, entries...)}
	if n := len(entries); n > 0 {
		page.Revision = entries[n-1].Seq
	}
	return edge.Reply{Status: http.StatusOK, Body: page}, err
}

func (s *server) clearJournal(r *http.Request) (edge.Reply, error) {
	if err := noBody(r); err != nil {
		return edge.Reply{}, err
	}
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, s.Journal.ClearJournal(r.Context())
}
