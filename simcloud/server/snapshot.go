package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

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
	if err := noBody(r); err != nil {
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
	if err := noBody(r); err != nil {
		return edge.Reply{}, err
	}
	return edge.Reply{Status: http.StatusOK, Body: done{true}}, s.Control.DeleteSnapshot(r.Context(), pathID(r, "name"))
}
