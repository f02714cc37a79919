package edge

import (
	"bytes"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// applyFault lets the handler answer, as the fault rule wants it that matches the call, if any does.
func (c *call) applyFault(w http.ResponseWriter, r *http.Request, handle Handler) (Reply, error) {
	if c.op.Within != nil {
		c.op.ID = c.op.Within(preread(r))
		c.resource = clip(resourceOf(c.op))
	}
	if !c.matchFault(w, r) {
		return c.handled(r, handle)
	}
	if err := c.hit.Before(r.Context()); err != nil {
		c.injected = true
		return Reply{}, err
	}
	reply, err := c.handled(r.WithContext(c.hit.Override(r.Context())), handle)
	if c.pending != nil && c.hit.HoldsAnswer() {
		c.pending.Hold()
	}
	result := fault.Result{Err: err}
	if reply.Meta != nil {
		result.Resource = reply.Meta.ID
	}
	if instead := c.hit.After(r.Context(), result); instead != nil {
		return reply, instead
	}
	return reply, err
}

// handled lets the handler do what the call is about. The journal waits for
// the call from when all of it is there: how slowly a client sends it is not the journal's concern.
func (c *call) handled(r *http.Request, handle Handler) (Reply, error) {
	if c.endpoint.Write() {
		preread(r)
		c.pending = c.edge.Journal.Begin()
	}
	reply, err := handle(r)
	c.recordOutcome(reply, err)
	return reply, err
}

// applyFaultToStream is applyFault for streams: what would come after the operation comes
// when the first message is there.
func (c *call) applyFaultToStream(w http.ResponseWriter, r *http.Request, open Stream) (iter.Seq2[Message, error], error) {
	if !c.matchFault(w, r) {
		return open(r)
	}
	if err := c.hit.Before(r.Context()); err != nil {
		c.injected = true
		return nil, err
	}
	seq, err := open(r.WithContext(c.hit.Override(r.Context())))
	if err != nil || c.hit.Garbles() {
		return nil, err
	}
	return func(yield func(Message, error) bool) {
		first := true
		for m, err := range seq {
			if first && err == nil {
				first, err = false, c.hit.After(r.Context(), fault.Result{})
			}
			if !yield(m, err) {
				return
			}
		}
	}, nil
}

// recordOutcome notes what the operation has done, whatever becomes of its answer.
func (c *call) recordOutcome(reply Reply, err error) {
	c.committed = c.endpoint.Write() && err == nil
	if c.committed {
		c.operation = reply.Operation
	}
	if err == nil && reply.Meta != nil && !strings.Contains(c.resource, "/") { // the path did not say
		c.resource = simcloud.Ref(c.endpoint.Kind(), reply.Meta.ID)
	}
}

// matchFault reports whether a fault rule fires at the call.
func (c *call) matchFault(w http.ResponseWriter, r *http.Request) bool {
	if !c.edge.Faults.Any() {
		return false
	}
	c.hit = c.edge.Faults.Pick(r.Context(), &fault.Call{
		Endpoint: c.endpoint, Dialect: c.op.Dialect, Name: c.op.Name, Caller: c.caller, Resource: c.op.ID, Whole: c.op.Whole,
		Named: func() []simcloud.ID { return c.named(r) }, Subject: func() fault.Subject { return c.subject(r) },
	})
	if c.hit == nil {
		return false
	}
	w.Header().Set(fault.Header, string(c.hit.Fault))
	c.edge.metrics.faults.WithLabelValues(c.hit.Name(), c.hit.Effect).Inc()
	if c.hit.Lasts() {
		Unlimited(w)
	}
	preread(r) // the journal has it then, whatever the fault does, and it is seen that the client goes away
	return true
}

// named are the resources that the request names besides.
func (c *call) named(r *http.Request) []simcloud.ID {
	if c.op.Named == nil {
		return nil
	}
	return c.op.Named(r.Context())
}

// subject is what fault rules ask of what is to be created.
func (c *call) subject(r *http.Request) fault.Subject {
	if c.op.Subject == nil {
		return fault.Subject{}
	}
	return c.op.Subject(preread(r))
}

// MaxBody is the largest body of a request, in bytes.
const MaxBody = 1 << 20

// preread returns the body, and leaves it to be read again with the error that it ended in.
func preread(r *http.Request) []byte {
	body, _ := Body(r) // who reads it again sees the error
	return body
}

// Body returns the body of a request, or the beginning of one that did not arrive whole, and leaves
// it to be read again with the error that it ended in. The error for more than MaxBody is an *http.MaxBytesError.
func Body(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, MaxBody))
	end := err
	if end == nil {
		end = io.EOF
	}
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{end}))
	return body, err
}

// failing is a reader at its end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
