package server

import (
	"context"
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
		defer c.leave()
		c.lasts = waits(r, e)
		var rep reply
		err := guarded(func() error {
			authenticated, err := c.authenticated(r)
			if err != nil {
				return err
			}
			answer := handle
			if c.lasts {
				unlimited(w)
				answer = c.waiting(handle)
			}
			rep, err = c.bent(w, authenticated, answer)
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

// waiting is a handler whose wait ends with the token. Whether that is good is
// asked as often as a silent stream says that it lives, and at the end of the wait.
func (c *call) waiting(handle handler) handler {
	return func(r *http.Request) (reply, error) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go c.endWithToken(ctx, cancel)
		rep, err := handle(r.WithContext(ctx))
		if ended := c.again(); ended != nil {
			return reply{}, ended
		}
		return rep, err
	}
}

// endWithToken calls end when the token is not good any more, unless ctx is done before.
func (c *call) endWithToken(ctx context.Context, end func()) {
	tick := time.NewTicker(c.server.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if c.again() != nil {
				end()
				return
			}
		case <-ctx.Done():
			return
		}
	}
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
