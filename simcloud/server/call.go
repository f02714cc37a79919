package server

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

// requestIDHeader names the request in the answer, and in the request when the client has a name for it.
const requestIDHeader = "Simcloud-Request-Id"

// call is one request on its way: what the journal, the log and the metrics will say of it.
type call struct {
	server   *server
	endpoint simcloud.Endpoint
	id       string
	caller   simcloud.Caller
	resource string
	begun    time.Time
	header   http.Header // of the answer
	lasts    bool        // whether it is a stream, or a wait for as long as its client has patience
	place    *place      // what it takes of its token's; nil for none
	// again says whether the token is still good.
	again func() error
	// hit is the fault that has struck the call; nil for none.
	hit *fault.Hit
	// committed is whether the operation has changed the cloud, and operation the id of the one that it has made there.
	committed bool
	operation simcloud.ID
	// pending is how the journal knows of the call until it is recorded; nil for one that changes nothing.
	pending *journal.Call
	// meant is whether the error is what a fault rule wants, not what has gone wrong.
	meant bool
}

// begin names the request.
func (s *server) begin(w http.ResponseWriter, r *http.Request, e simcloud.Endpoint) *call {
	id := r.Header.Get(requestIDHeader)
	if !validRequestID(id) {
		id = "req-" + strconv.FormatUint(s.requests.Add(1), 10)
	}
	w.Header().Set(requestIDHeader, id)
	s.metrics.inFlight.Inc()
	c := &call{server: s, endpoint: e, id: id, begun: time.Now(), resource: clip(pathResource(e, r)), header: w.Header()}
	c.caller.UserAgent = clip(r.UserAgent())
	return c
}

func validRequestID(id string) bool {
	return id != "" && len(id) <= 64 && strings.IndexFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) < 0
}

// maxRecorded is how much is kept of a text that a caller has sent, in bytes:
// the journal remembers many calls, also of those who have no token.
const maxRecorded = 300

// clip returns the beginning of a text, without holding on to the rest.
func clip(text string) string {
	if len(text) <= maxRecorded {
		return text
	}
	return strings.ToValidUTF8(strings.Clone(text[:maxRecorded]), "")
}

// authenticated returns the request with its caller, or why there is none.
func (c *call) authenticated(r *http.Request) (*http.Request, error) {
	if err := fewHeaders(r); err != nil {
		return nil, err
	}
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return nil, simcloud.Errorf(simcloud.Unauthenticated, "", "the header \"Authorization: Bearer <token>\" is missing")
	}
	caller, err := c.server.Auth.Authenticate(r.Context(), strings.TrimSpace(secret))
	if err != nil {
		return nil, err
	}
	caller.UserAgent = c.caller.UserAgent
	c.caller = caller
	c.again = func() error {
		_, err := c.server.Auth.Authenticate(context.WithoutCancel(r.Context()), strings.TrimSpace(secret))
		return err
	}
	ctx := simcloud.WithRequestID(simcloud.WithCaller(r.Context(), caller), c.id)
	return r.WithContext(ctx), c.admitted()
}

// admitted says why the caller may not make the call, before its body is read:
// what it sends then costs the cloud nothing.
func (c *call) admitted() error {
	if err := c.entered(); err != nil {
		return err
	}
	if err := c.limited(); err != nil {
		return err
	}
	if e := c.endpoint; !e.Allows(c.caller.Role) {
		return simcloud.Errorf(simcloud.Forbidden, "", "%s needs the role %s, the token has %s", e.Operation, e.Role(), c.caller.Role)
	}
	return nil
}

// guarded calls fn and turns its panic into an error.
func guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// forgotten lets the journal wait no longer for a call that was not recorded:
// it has panicked.
func (c *call) forgotten() {
	if c.pending != nil {
		c.pending.End()
	}
}

// end records the call: before its answer is sent, unless that was a stream.
func (c *call) end(ctx context.Context, status int, err error) {
	var code simcloud.Code
	var message string
	if err != nil {
		e := failure(err)
		code, message = e.Code, clip(e.Message)
		if c.resource == "" || (e.Resource != "" && !strings.Contains(c.resource, "/")) {
			c.resource = clip(e.Resource)
		}
	}
	took := time.Since(c.begun)
	entry := simcloud.JournalEntry{
		RequestID: c.id, Caller: c.caller, Operation: c.endpoint.Operation, OperationID: c.operation, Write: c.endpoint.Write(),
		Resource: c.resource, Status: status, Code: code, Message: message, Duration: simcloud.Duration(took),
		Committed: c.committed,
	}
	if c.hit != nil {
		entry.Fault, entry.Effect = c.hit.Fault, c.hit.Effect
	}
	if c.pending != nil {
		c.pending.Record(entry)
	} else {
		c.server.Journal.Record(entry)
	}
	c.server.metrics.inFlight.Dec()
	c.server.metrics.count(c.endpoint.Operation, code)
	c.log(ctx, status, code, took, err)
}
