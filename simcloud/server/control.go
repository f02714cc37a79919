package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (s *server) getState(r *http.Request) (reply, error) {
	state, err := s.Control.GetState(r.Context())
	return reply{status: http.StatusOK, body: state}, err
}

// done answers an operation that has nothing else to say.
type done struct {
	Done bool `json:"done"`
}

func (s *server) reset(r *http.Request) (reply, error) {
	if err := noBody(r); err != nil {
		return reply{}, err
	}
	err := s.Control.Reset(r.Context())
	if err == nil {
		s.begun()
	}
	return reply{status: http.StatusOK, body: done{true}}, err
}

// begun forgets what is remembered of the cloud's resources and of its callers'
// rates: from now on it is another cloud, in which an id may name something else.
func (s *server) begun() {
	s.Faults.Unlock()
	s.limiter.forget()
}

func (s *server) getClock(r *http.Request) (reply, error) {
	status, err := s.Control.GetClock(r.Context())
	return reply{status: http.StatusOK, body: status}, err
}

func (s *server) setClock(r *http.Request) (reply, error) {
	spec, err := decode[simcloud.ClockSpec](r)
	if err != nil {
		return reply{}, err
	}
	status, err := s.Control.SetClock(r.Context(), spec)
	return reply{status: http.StatusOK, body: status}, err
}

// advance is the body of AdvanceClock.
type advance struct {
	By string `json:"by"`
}

func (s *server) advanceClock(r *http.Request) (reply, error) {
	body, err := decode[advance](r)
	if err != nil {
		return reply{}, err
	}
	var by simcloud.Duration
	if err := by.UnmarshalText([]byte(body.By)); err != nil {
		return reply{}, invalidField("by", "%v", err)
	}
	advanced, err := s.Control.AdvanceClock(r.Context(), by)
	return reply{status: http.StatusOK, body: advanced}, err
}

func (s *server) listJournal(r *http.Request) (reply, error) {
	filter, err := listJournalFilter(r)
	if err != nil {
		return reply{}, err
	}
	entries, err := s.Journal.ListJournal(r.Context(), filter)
	page := simcloud.Page[simcloud.JournalEntry]{Items: append([]simcloud.JournalEntry{}, entries...)}
	if n := len(entries); n > 0 {
		page.Revision = entries[n-1].Seq
	}
	return reply{status: http.StatusOK, body: page}, err
}

func (s *server) clearJournal(r *http.Request) (reply, error) {
	if err := noBody(r); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, body: done{true}}, s.Journal.ClearJournal(r.Context())
}
