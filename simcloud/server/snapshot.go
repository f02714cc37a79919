package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (s *server) listSnapshots(r *http.Request) (reply, error) {
	snapshots, err := s.Control.ListSnapshots(r.Context())
	page := simcloud.Page[simcloud.Snapshot]{Items: append([]simcloud.Snapshot{}, snapshots...)}
	return reply{status: http.StatusOK, body: page}, err
}

func (s *server) saveSnapshot(r *http.Request) (reply, error) {
	spec, err := decode[simcloud.SnapshotSpec](r)
	if err != nil {
		return reply{}, err
	}
	snapshot, err := s.Control.SaveSnapshot(r.Context(), spec)
	return reply{status: http.StatusCreated, body: snapshot}, err
}

func (s *server) loadSnapshot(r *http.Request) (reply, error) {
	if err := noBody(r); err != nil {
		return reply{}, err
	}
	snapshot, err := s.Control.LoadSnapshot(r.Context(), pathID(r, "name"))
	if err == nil {
		s.begun()
	}
	return reply{status: http.StatusOK, body: snapshot}, err
}

func (s *server) diffSnapshot(r *http.Request) (reply, error) {
	q := readQuery(r)
	against := q.text("against")
	if err := q.err(); err != nil {
		return reply{}, err
	}
	diff, err := s.Control.DiffSnapshot(r.Context(), pathID(r, "name"), against)
	return reply{status: http.StatusOK, body: diff}, err
}

func (s *server) deleteSnapshot(r *http.Request) (reply, error) {
	if err := noBody(r); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, body: done{true}}, s.Control.DeleteSnapshot(r.Context(), pathID(r, "name"))
}
