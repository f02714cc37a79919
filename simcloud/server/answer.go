package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// answered is the one adapter between handlers and HTTP: it authenticates,
// calls, writes the reply or the problem, and records the call.
func (s *server) answered(e simcloud.Endpoint, handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := s.begin(w, r, e)
		var rep reply
		err := guarded(func() error {
			authenticated, err := c.authenticated(r)
			if err != nil {
				return err
			}
			if e.Operation == "WaitOperation" {
				unlimited(w)
			}
			rep, err = handle(authenticated)
			return err
		})
		status := rep.status
		if err != nil {
			p := newProblem(err, c.id)
			p.write(w)
			status = p.Status
		} else {
			c.write(w, rep)
		}
		s.metrics.observe(e.Operation, time.Since(c.begun))
		c.end(r.Context(), status, err)
	})
}

// write sends a reply.
func (c *call) write(w http.ResponseWriter, rep reply) {
	if rep.meta != nil {
		w.Header().Set("ETag", `"`+strconv.FormatUint(rep.meta.Version, 10)+`"`)
		c.answers(rep.meta)
	}
	writeJSON(w, rep.status, "application/json", rep.body)
}

// unlimited takes the server's time-outs off a request that may last.
func unlimited(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a writer without deadlines has no time-outs either
	_ = control.SetWriteDeadline(time.Time{})
}
