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
	if err := refuseBody(r); err != nil {
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

func (s *server) getJournalEntry(r *http.Request) (edge.Reply, error) {
	entry, err := s.Journal.GetJournalEntry(r.Context(), pathID(r, "id"))
	return edge.Reply{Status: http.StatusOK, Body: entry}, err
}

func (s *server) clearJournal(r *http.Request) (edge.Reply, error) {
	if err := refuseBody(r); err != nil {
		return edge.Reply{}, err
	}
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, s.Journal.ClearJournal(r.Context())
}

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

func (s *server) planSeed(r *http.Request) (edge.Reply, error) {
	topology, err := decode[simcloud.Topology](r)
	if err != nil {
		return edge.Reply{}, err
	}
	report, err := s.Control.PlanSeed(r.Context(), topology)
	return edge.Reply{Status: http.StatusOK, Body: report}, err
}

func (s *server) planReset(r *http.Request) (edge.Reply, error) {
	if err := refuseBody(r); err != nil {
		return edge.Reply{}, err
	}
	report, err := s.Control.PlanReset(r.Context())
	return edge.Reply{Status: http.StatusOK, Body: report}, err
}

func (s *server) listSnapshots(r *http.Request) (edge.Reply, error) {
	snapshots, err := s.Control.ListSnapshots(r.Context())
	page := simcloud.Page[simcloud.Snapshot]{Items: append([]simcloud.Snapshot{}, snapshots...)}
	return edge.Reply{Status: http.StatusOK, Body: page}, err
}

func (s *server) saveSnapshot(r *http.Request) (edge.Reply, error) {
	spec, err := decode[simcloud.SnapshotSpec](r)
	if err != nil {
		return edge.Reply{}, err
	}
	snapshot, err := s.Control.SaveSnapshot(r.Context(), spec)
	return edge.Reply{Status: http.StatusCreated, Body: snapshot}, err
}

func (s *server) loadSnapshot(r *http.Request) (edge.Reply, error) {
	if err := refuseBody(r); err != nil {
		return edge.Reply{}, err
	}
	snapshot, err := s.Control.LoadSnapshot(r.Context(), pathID(r, "name"))
	if err == nil {
		s.edge.Forget()
	}
	return edge.Reply{Status: http.StatusOK, Body: snapshot}, err
}

func (s *server) diffSnapshot(r *http.Request) (edge.Reply, error) {
	q := readQuery(r)
	against := q.text("against")
	if err := q.err(); err != nil {
		return edge.Reply{}, err
	}
	diff, err := s.Control.DiffSnapshot(r.Context(), pathID(r, "name"), against)
	return edge.Reply{Status: http.StatusOK, Body: diff}, err
}

func (s *server) deleteSnapshot(r *http.Request) (edge.Reply, error) {
	if err := refuseBody(r); err != nil {
		return edge.Reply{}, err
	}
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, s.Control.DeleteSnapshot(r.Context(), pathID(r, "name"))
}

func (s *server) getDataPlane(r *http.Request) (edge.Reply, error) {
	plane, err := s.Control.GetDataPlane(r.Context())
	return edge.Reply{Status: http.StatusOK, Body: plane}, err
}

// healthReport is the body of ReportTargetHealth.
type healthReport struct {
	Health simcloud.TargetHealth `json:"health"`
}

// groupHealthReport is the body of ReportGroupTargetHealth.
type groupHealthReport struct {
	Port   int                   `json:"port"`
	Health simcloud.TargetHealth `json:"health"`
}

func (s *server) reportGroupTargetHealth(r *http.Request) (edge.Reply, error) {
	body, err := decode[groupHealthReport](r)
	if err != nil {
		return edge.Reply{}, err
	}
	err = s.Control.ReportGroupTargetHealth(r.Context(), pathID(r, "id"), pathID(r, "instance"), body.Port, body.Health)
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, err
}

func (s *server) reportTargetHealth(r *http.Request) (edge.Reply, error) {
	body, err := decode[healthReport](r)
	if err != nil {
		return edge.Reply{}, err
	}
	err = s.Control.ReportTargetHealth(r.Context(), pathID(r, "id"), pathID(r, "instance"), body.Health)
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, err
}
