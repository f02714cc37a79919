package server

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// bent lets the handler answer, as the fault rule wants it that fires at the call, if any does.
func (c *call) bent(w http.ResponseWriter, r *http.Request, handle handler) (reply, error) {
	if !c.struck(w, r) {
		return c.handled(r, handle)
	}
	if err := c.hit.Before(r.Context()); err != nil {
		c.meant = true
		return reply{}, err
	}
	rep, err := c.handled(r.WithContext(c.hit.Bend(r.Context())), handle)
	if c.pending != nil && c.hit.HoldsAnswer() {
		c.pending.Hold()
	}
	outcome := fault.Outcome{Err: err}
	if rep.meta != nil {
		outcome.Resource = rep.meta.ID
	}
	if instead := c.hit.After(r.Context(), outcome); instead != nil {
		return rep, instead
	}
	return rep, err
}

// handled lets the handler do what the call is about. The journal waits for
// the call from when all of it is there: how slowly a client sends it is not the journal's concern.
func (c *call) handled(r *http.Request, handle handler) (reply, error) {
	if c.endpoint.Write() {
		preread(r)
		c.pending = c.server.Journal.Begin()
	}
	rep, err := handle(r)
	c.happened(rep, err)
	return rep, err
}

// bentStream is bent for streams: what would come after the operation comes
// when the first message is there.
func (c *call) bentStream(w http.ResponseWriter, r *http.Request, open stream) (iter.Seq2[message, error], error) {
	if !c.struck(w, r) {
		return open(r)
	}
	if err := c.hit.Before(r.Context()); err != nil {
		c.meant = true
		return nil, err
	}
	seq, err := open(r.WithContext(c.hit.Bend(r.Context())))
	if err != nil || c.hit.Garbles() {
		return nil, err
	}
	return func(yield func(message, error) bool) {
		first := true
		for m, err := range seq {
			if first && err == nil {
				first, err = false, c.hit.After(r.Context(), fault.Outcome{})
			}
			if !yield(m, err) {
				return
			}
		}
	}, nil
}

// happened notes what the operation has done, whatever becomes of its answer.
func (c *call) happened(rep reply, err error) {
	c.committed = c.endpoint.Write() && err == nil
	if c.committed {
		c.operation = rep.operation
	}
	if err == nil && rep.meta != nil {
		c.answers(rep.meta)
	}
}

// struck reports whether a fault rule fires at the call.
func (c *call) struck(w http.ResponseWriter, r *http.Request) bool {
	if !c.server.Faults.Any() {
		return false
	}
	c.hit = c.server.Faults.Pick(r.Context(), &fault.Call{
		Endpoint: c.endpoint, Caller: c.caller, Resource: pathID(r, "id"),
		Subject: func() fault.Subject { return subjectOf(r) },
	})
	if c.hit == nil {
		return false
	}
	w.Header().Set(fault.Header, string(c.hit.Fault))
	c.server.metrics.faults.WithLabelValues(c.hit.Name(), c.hit.Effect).Inc()
	if c.hit.Lasts() {
		unlimited(w)
		preread(r) // only then is it seen that the client goes away
	}
	return true
}

// subjectOf is what the body of a creation says of what is to be created.
// Whether it is right is the handler's to say.
func subjectOf(r *http.Request) fault.Subject {
	var spec fault.Subject
	if json.Unmarshal(preread(r), &spec) != nil {
		return fault.Subject{}
	}
	return spec
}

// preread returns the body, and leaves it to be read again with the error that it ended in.
func preread(r *http.Request) []byte {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, MaxBody))
	if err == nil {
		err = io.EOF
	}
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	return body
}

// failing is a reader at its end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
