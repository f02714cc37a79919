package edge

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
	"github.com/simcloud-dev/simcloud/simcloud/redact"
)

// requestIDHeader names the request in the answer, and in the request when the client has a name for it.
const requestIDHeader = "Simcloud-Request-Id"

// call is one request on its way: what the journal, the log and the metrics will say of it.
type call struct {
	edge     *Edge
	codec    Codec
	op       Operation
	endpoint simcloud.Endpoint // of op
	id       string
	caller   simcloud.Caller
	resource string
	name     string // what the client knows the operation by
	request  string // method and path, in a dialect
	begun    time.Time
	header   http.Header // of the answer
	place    *place      // what it takes of its token's; nil for none
	// again says whether the token is still good.
	again func() error
	// hit is the fault rule that matches the call; nil for none.
	hit *fault.Hit
	// committed is whether the operation has changed the cloud, and operation the id of the one that it has made there.
	committed bool
	operation simcloud.ID
	// pending is how the journal knows of the call until it is recorded; nil for one that changes nothing.
	pending *journal.Call
	// sent is what is read of the request's body; nil for a request without one.
	sent *sentBody
	// redactor knows the caller's secret.
	redactor redact.Redactor
	// injected is whether the error is what a fault rule wants, not what has gone wrong.
	injected bool
}

// begin names the request.
func (e *Edge) begin(codec Codec, op Operation, w http.ResponseWriter, r *http.Request) *call {
	id := r.Header.Get(requestIDHeader)
	if !validRequestID(id) {
		id = "req-" + strconv.FormatUint(e.requests.Add(1), 10)
	}
	if op.Dialect != "" && op.Name == "" {
		op.Name = RequestName(r)
	}
	header := w.Header()
	for name, values := range op.Header {
		header[name] = values
	}
	header.Set(requestIDHeader, id)
	e.metrics.inFlight.Inc()
	c := &call{
		edge: e, codec: codec, op: op, endpoint: op.Endpoint, id: id, begun: time.Now(), header: header,
		resource: clip(resourceOf(op)),
	}
	c.caller.UserAgent = clip(r.UserAgent())
	c.name = nameOf(op, r)
	if op.Dialect != "" {
		c.request = clip(r.Method + " " + r.URL.Path)
	}
	return c
}

// nameOf is what the client of a request knows its operation by: method and path where no operation has it.
func nameOf(op Operation, r *http.Request) string {
	switch {
	case op.Dialect != "":
		return clip(simcloud.DialectOperation(op.Dialect, op.Name))
	case op.Endpoint.Path == "":
		return clip(RequestName(r))
	default:
		return op.Endpoint.Operation
	}
}

// RequestName is what a codec calls a request that none of its operations has: "GET /v1/nothing".
func RequestName(r *http.Request) string { return r.Method + " " + r.URL.EscapedPath() }

func validRequestID(id string) bool {
	return id != "" && len(id) <= 64 && strings.IndexFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) < 0
}

// resourceOf is what a call is about by its path: "instance/i-7", or "instance" for a list.
func resourceOf(op Operation) string {
	kind := op.Endpoint.Kind()
	if kind == "" {
		return ""
	}
	return simcloud.Ref(kind, op.ID)
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

// lasts reports whether the call is a stream, or a wait for as long as its client has patience.
func (c *call) lasts() bool { return c.op.Stream != nil || c.op.Waits }

// authenticated returns the request with its caller, or why there is none.
func (c *call) authenticated(r *http.Request) (*http.Request, error) {
	if err := fewHeaders(r); err != nil {
		secret, _ := c.codec.Credential(r) // nothing that is recorded of the call shows it
		c.know(r, secret)
		return nil, err
	}
	switch err := c.identified(r); {
	case err == nil:
		c.sent.who().known()
	case c.op.Anonymous:
		c.sent.who().unknown()
	default:
		return nil, err
	}
	ctx, err := consistent(simcloud.WithRequestID(simcloud.WithCaller(r.Context(), c.caller), c.id), r, c.caller)
	if err != nil {
		return nil, err
	}
	return r.WithContext(ctx), c.admitted()
}

// identified finds out who the caller is.
func (c *call) identified(r *http.Request) error {
	secret, err := c.codec.Credential(r)
	c.know(r, secret) // also what a refused request has sent
	if err != nil {
		return err
	}
	caller, err := c.edge.Auth.Authenticate(r.Context(), secret)
	if err != nil {
		return err
	}
	caller.UserAgent = c.caller.UserAgent
	c.caller = caller
	c.again = func() error {
		_, err := c.edge.Auth.Authenticate(context.WithoutCancel(r.Context()), secret)
		return err
	}
	return nil
}

// credentialHeaders are those whose whole value is a credential: a session of OpenStack is not the secret that it began with.
var credentialHeaders = []string{"X-Auth-Token", "X-Subject-Token", "X-Amz-Security-Token"}

// know lets nothing that is recorded of the call show its credential, in what it has sent until here either.
func (c *call) know(r *http.Request, secret string) {
	c.redactor.Know(secret)
	for _, name := range credentialHeaders {
		if value := r.Header.Get(name); value != secret {
			c.redactor.Know(value)
		}
	}
	c.caller.UserAgent = c.redactor.Text(c.caller.UserAgent)
	if c.redactor.Text(c.id) != c.id {
		c.id = "req-" + strconv.FormatUint(c.edge.requests.Add(1), 10)
		c.header.Set(requestIDHeader, c.id)
	}
}

// maxHeaders is how many headers a request may have. Their length is the HTTP server's concern.
const maxHeaders = 128

func fewHeaders(r *http.Request) error {
	n := 0
	for _, values := range r.Header {
		n += len(values)
	}
	if n <= maxHeaders {
		return nil
	}
	detail := fmt.Sprintf("there are %d: must be at most %d", n, maxHeaders)
	return StatusError{
		http.StatusRequestHeaderFieldsTooLarge,
		simcloud.InvalidFields("", []simcloud.FieldError{{Field: "headers", Detail: detail}}),
	}
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
	if e := c.endpoint; !c.op.Anonymous && !e.Allows(c.caller.Role) {
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

// shownID is the id of the resource as the codec shows it; empty where that is the cloud's own.
func (c *call) shownID() string {
	kind, id, whole := strings.Cut(c.resource, "/")
	shower, able := c.codec.(IDShower)
	if !whole || !able {
		return ""
	}
	if shown := shower.ShownID(simcloud.Kind(kind), simcloud.ID(id)); shown != id {
		return clip(shown)
	}
	return ""
}

// forgotten lets the journal wait no longer for a call that was not recorded:
// it has panicked.
func (c *call) forgotten() {
	if c.pending != nil {
		c.pending.End()
	}
}

// end records the call: before its answer is sent, unless that was a stream. Answer
// is what the caller gets; nil for a stream, and for a caller that gets nothing.
func (c *call) end(r *http.Request, status int, answer []byte, err error) {
	var code simcloud.Code
	var message string
	if err != nil {
		e := failure(err)
		code, message = e.Code, c.redactor.Text(clip(e.Message))
		if c.resource == "" || (e.Resource != "" && !strings.Contains(c.resource, "/")) {
			c.resource = clip(e.Resource)
		}
	}
	c.resource, c.request = c.redactor.Text(c.resource), c.redactor.Text(c.request)
	took := time.Since(c.begun)
	entry := simcloud.JournalEntry{
		RequestID: c.id, Caller: c.caller, Operation: c.endpoint.Operation, Name: c.redactor.Text(c.name), OperationID: c.operation, Write: c.endpoint.Write(),
		Resource: c.resource, ShownID: c.shownID(), Status: status, Code: code, Message: message, Duration: simcloud.Duration(took),
		Committed: c.committed, Exchange: c.exchange(r, answer),
		Dialect: c.op.Dialect, DialectOperation: c.redactor.Text(clip(c.op.Name)), Request: c.request,
	}
	if c.hit != nil {
		entry.Fault, entry.Effect = c.hit.Fault, c.hit.Effect
	}
	if c.pending != nil {
		c.pending.Record(entry)
	} else {
		c.edge.Journal.Record(entry)
	}
	c.edge.metrics.inFlight.Dec()
	c.edge.metrics.count(c.endpoint.Operation, code)
	c.log(r.Context(), status, code, took, err)
}
