package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// problem is the wire form of an error, by RFC 9457.
type problem struct {
	Type         string                `json:"type"`
	Title        string                `json:"title"`
	Status       int                   `json:"status"`
	Detail       string                `json:"detail,omitempty"`
	Code         simcloud.Code         `json:"code"`
	Resource     string                `json:"resource,omitempty"`
	RetryAfterMS int64                 `json:"retry_after_ms,omitempty"`
	RequestID    string                `json:"request_id,omitempty"`
	Errors       []simcloud.FieldError `json:"errors,omitempty"`

	retryAfter time.Duration
}

// precise is an error whose status says more than that of its code, such as
// Invalid for a body that could not even be read.
type precise struct {
	status int
	error
}

func (p precise) Unwrap() error { return p.error }

// failure returns err as the cloud's own: what is not is a defect, but for the end of a context.
func failure(err error) *simcloud.Error {
	var e *simcloud.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return &simcloud.Error{Code: simcloud.Unavailable, Message: "the request ended before its answer", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &simcloud.Error{Code: simcloud.Timeout, Message: "the cloud did not answer in time", Err: err}
	default:
		return &simcloud.Error{Code: simcloud.Internal, Err: err}
	}
}

// newProblem says of an error what a client may know: never its cause, and of a defect nothing at all.
func newProblem(err error, requestID string) problem {
	e := failure(err)
	s := specOf(e.Code)
	p := problem{
		Type: "urn:simcloud:error:" + string(e.Code), Title: s.title, Status: s.status, Detail: e.Message, Code: e.Code,
		Resource: e.Resource, RetryAfterMS: e.RetryAfter.Milliseconds(), RequestID: requestID, Errors: e.Fields,
		retryAfter: e.RetryAfter,
	}
	if e.Code == simcloud.Internal {
		p.Detail = "the cloud's log says more under this request id"
	}
	var more precise
	if errors.As(err, &more) {
		p.Status = more.status
	}
	return p
}

// problem is the answer to a call that has ended in err.
func (c *call) problem(err error) problem {
	p := newProblem(err, c.id)
	if c.meant {
		p.Detail = failure(err).Message // there is no more to it, and nothing in the log
	}
	return p
}

// write sends the problem.
func (p problem) write(w http.ResponseWriter) {
	header := w.Header()
	if p.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(seconds(p.retryAfter)))
	}
	if p.Code == simcloud.Unauthenticated {
		header.Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, p.Status, "application/problem+json", p)
}
