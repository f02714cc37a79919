package edge

import (
	"context"
	"errors"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Problem is an error as a codec gets it.
type Problem struct {
	// Err is the cloud's error. A codec writes neither its cause nor, unless the problem is
	// injected, anything of one that is Internal: the log has that under the request's id.
	Err *simcloud.Error
	// Status says more than the error's code; 0 leaves it to that.
	Status    int
	RequestID string
	// Endpoint is the operation that has failed, and Name what a dialect calls it.
	Endpoint simcloud.Endpoint
	Name     string
	// Injected is whether a fault rule wants the error: then nothing has gone wrong in the cloud.
	Injected bool
}

// StatusError is an error whose status says more than that of its code, such as
// Invalid for a body that could not even be read.
type StatusError struct {
	Status int
	Err    error
}

func (e StatusError) Error() string { return e.Err.Error() }
func (e StatusError) Unwrap() error { return e.Err }

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

// problem is the answer to a call that has ended in err.
func (c *call) problem(err error) Problem {
	p := Problem{Err: failure(err), RequestID: c.id, Endpoint: c.endpoint, Name: c.op.Name, Injected: c.injected}
	var more StatusError
	if errors.As(err, &more) {
		p.Status = more.Status
	}
	return p
}

// Closing is the error that a request ends in because the cloud closes; nil when its client has gone.
func Closing(ctx context.Context) error {
	var e *simcloud.Error
	if errors.As(context.Cause(ctx), &e) {
		return e
	}
	return nil
}
