package server

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
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
			rep, err = c.bent(w, authenticated, handle)
			return err
		})
		if errors.Is(err, fault.ErrDrop) {
			c.end(r.Context(), 0, err)
			drop(w)
			return
		}
		status, err := c.answer(w, rep, err)
		s.metrics.observe(e.Operation, time.Since(c.begun))
		c.end(r.Context(), status, err)
	})
}

// answer sends the reply or the problem, unless a fault spoils it, and returns
// its status and the error that the caller has got.
func (c *call) answer(w http.ResponseWriter, rep reply, err error) (int, error) {
	if c.hit != nil && c.hit.Garbles() {
		return c.spoiled(w, func(w http.ResponseWriter) { c.plainAnswer(w, rep, err) })
	}
	return c.plainAnswer(w, rep, err), err
}

func (c *call) plainAnswer(w http.ResponseWriter, rep reply, err error) int {
	if err != nil {
		p := c.problem(err)
		p.write(w)
		return p.Status
	}
	c.write(w, rep)
	return rep.status
}

// write sends a reply.
func (c *call) write(w http.ResponseWriter, rep reply) {
	if rep.meta != nil {
		w.Header().Set("ETag", `"`+strconv.FormatUint(rep.meta.Version, 10)+`"`)
	}
	writeJSON(w, rep.status, "application/json", rep.body)
}

// unlimited takes the server's time-outs off a request that may last.
func unlimited(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a writer without deadlines has no time-outs either
	_ = control.SetWriteDeadline(time.Time{})
}
