package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
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

// newProblem says of an error what a client may know: never its cause, and of a defect nothing at all.
func newProblem(from edge.Problem) problem {
	e := from.Err
	s := specOf(e.Code)
	p := problem{
		Type: "urn:simcloud:error:" + string(e.Code), Title: s.title, Status: s.status, Detail: e.Message, Code: e.Code,
		Resource: e.Resource, RetryAfterMS: e.RetryAfter.Milliseconds(), RequestID: from.RequestID, Errors: e.Fields,
		retryAfter: e.RetryAfter,
	}
	if e.Code == simcloud.Internal && !from.Injected {
		p.Detail = "the cloud's log says more under this request id"
	}
	if from.Status != 0 {
		p.Status = from.Status
	}
	return p
}

// write sends the problem.
func (p problem) write(w http.ResponseWriter) {
	header := w.Header()
	if p.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(edge.Seconds(p.retryAfter)))
	}
	if p.Code == simcloud.Unauthenticated {
		header.Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, p.Status, "application/problem+json", p)
}
