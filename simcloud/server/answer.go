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
// calls, makes the reply or the problem, records the call, and sends the
// answer only then: who has it finds the call in the journal.
func (s *server) answered(e simcloud.Endpoint, handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := s.begin(w, r, e)
		defer c.forgotten()
		var rep reply
		err := guarded(func() error {
			authenticated, err := c.authenticated(r)
			if err != nil {
				return err
			}
			if waits(r, e) {
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
		kept := keep(w)
		err = c.answer(kept, rep, err)
		s.metrics.observe(e.Operation, time.Since(c.begun))
		c.end(r.Context(), kept.status, err)
		kept.send(w)
	})
}

// waits reports whether a call may last for as long as its client has patience.
func waits(r *http.Request, e simcloud.Endpoint) bool {
	return e.Operation == "WaitOperation" || e.Operation == "ListJournal" && r.URL.Query().Has("settled")
}

// answer makes the reply or the problem, unless a fault spoils it, and returns
// the error that the caller gets.
func (c *call) answer(kept *keptAnswer, rep reply, err error) error {
	if err != nil {
		c.problem(err).write(kept)
	} else {
		c.write(kept, rep)
	}
	if c.garbles() {
		return c.spoil(kept)
	}
	return err
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
