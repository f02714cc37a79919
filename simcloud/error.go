package simcloud

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is how every operation of the cloud fails.
type Error struct {
	Code     Code
	Resource string // "instance/i-7", or a kind alone when there is no id yet
	Message  string // for humans; never matched
	// Fields says what is wrong where: with Invalid, and with AlreadyExists for an address of a placement that is taken.
	Fields []FieldError
	// RetryAfter is how long the cloud asks to wait, with Locked, RateLimited and Unavailable; 0 when it does not say.
	RetryAfter time.Duration
	// RequestID finds the request in the cloud's log and journal.
	RequestID string
	// Err is the cause. It is logged where it arises and never sent to a client.
	Err error
}

// FieldError is one wrong field of a request.
type FieldError struct {
	Field  string `json:"field"`  // a path such as "listeners[0].port"
	Detail string `json:"detail"` // what was wrong and what would be right
}

// Error says the code, the resource, the message and the fields in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	if e.Resource != "" {
		b.WriteString(" (" + e.Resource + ")")
	}
	if e.Message != "" && (e.Message != invalidFields || len(e.Fields) == 0) {
		b.WriteString(": " + e.Message)
	}
	for i, f := range e.Fields {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		b.WriteString(sep + f.Field + ": " + f.Detail)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.RequestID != "" {
		b.WriteString(" [request " + e.RequestID + "]")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is this error's Code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Errorf returns an *Error as an error. A %w in the format becomes its cause,
// which stays out of the message that clients see.
func Errorf(code Code, resource, format string, args ...any) error {
	wrapped := fmt.Errorf(format, args...)
	cause := errors.Unwrap(wrapped)
	message := wrapped.Error()
	if cause != nil {
		message = strings.TrimSuffix(strings.TrimSuffix(message, cause.Error()), ": ")
	}
	return &Error{Code: code, Resource: resource, Message: message, Err: cause}
}

// invalidFields is the message of an error whose fields say more: its text leaves it out.
const invalidFields = "the request has invalid fields"

// InvalidFields returns the Invalid error that names these fields, or nil when there are none.
func InvalidFields(resource string, fields []FieldError) error {
	if len(fields) == 0 {
		return nil
	}
	return &Error{Code: Invalid, Resource: resource, Message: invalidFields, Fields: fields}
}

// CodeOf returns the code of err: that of the *Error in its chain, Timeout for
// a context's deadline, and Internal for anything else. It is "" for nil.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	default:
		return Internal
	}
}

// RetryAfter returns how long the cloud asked the caller to wait; 0 when it did not say.
func RetryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}
