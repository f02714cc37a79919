package simcloud

import (
	"context"
	"time"
)

// Operation is a change under way. Each mutation starts one.
type Operation struct {
	Meta
	// Verb is the name of the API method that started it, such as "CreateInstance".
	Verb     string     `json:"verb"`
	Resource Attachment `json:"resource"`
	// Caller is who called for it, by token and user agent; zero for what began before clouds kept that.
	Caller Caller `json:"caller,omitzero"`
	// RequestID is the call that started it; empty for what code in the cloud's
	// process called for, and for what began before clouds kept that.
	RequestID string         `json:"requestID,omitempty"`
	State     OperationState `json:"state"`
	// Progress is 0 to 100.
	Progress int `json:"progress"`
	// Error says why it failed, with OperationFailed.
	Error string `json:"error,omitempty"`
	// Code is the class of that failure; empty for what failed before clouds kept that.
	Code     Code      `json:"code,omitempty"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	// ReadyAt is when a running operation will be done, by the cloud's clock; zero
	// when it takes a number of reads instead.
	ReadyAt time.Time `json:"readyAt,omitzero"`
}

// OperationState is where an operation is in its life.
type OperationState string

// The states of an operation.
const (
	OperationPending   OperationState = "pending"
	OperationRunning   OperationState = "running"
	OperationDone      OperationState = "done"
	OperationFailed    OperationState = "failed"
	OperationCancelled OperationState = "cancelled"
)

type operationNoteKey struct{}

// WithOperationNote returns a context whose mutations tell note which operation each has made, also those that their
// transaction takes back. A cloud that is called over HTTP tells nothing.
func WithOperationNote(ctx context.Context, note func(Operation)) context.Context {
	return context.WithValue(ctx, operationNoteKey{}, note)
}

// NoteOperation tells what [WithOperationNote] has put into the context. Clouds call it.
func NoteOperation(ctx context.Context, op Operation) {
	if note, ok := ctx.Value(operationNoteKey{}).(func(Operation)); ok {
		note(op)
	}
}
