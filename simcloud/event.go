package simcloud

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Event tells of one change of one resource.
type Event struct {
	// Revision orders all events of a cloud. It is the resource's version.
	Revision uint64    `json:"revision"`
	Time     time.Time `json:"time"`
	Type     EventType `json:"type"`
	Kind     Kind      `json:"kind"`
	ID       ID        `json:"id"`
	Project  ID        `json:"project,omitempty"`
	// OperationID is the operation that caused the change, also when it
	// happened later, when the operation was ready; empty when no operation
	// did: the cloud changed the resource by itself, or a call such as Reset did.
	OperationID ID `json:"operationID,omitempty"`
	// RequestID is the call that caused the change: that of the operation, or
	// the one that makes no operation; empty when none did.
	RequestID string `json:"requestID,omitempty"`
	// Object is the resource after the change; for Deleted, as it was last.
	// It is null for what a project had that is gone: each such event says
	// Deleted, and the stream of all projects alone shows it.
	Object json.RawMessage `json:"object"`
}

// EncodedEvent is an event with its JSON, which is made once for all streams
// that it is sent on. Neither may be changed.
type EncodedEvent struct {
	Event
	JSON []byte
}

// EventType is what happened to the resource.
type EventType string

// The types of events.
const (
	Created EventType = "created"
	Updated EventType = "updated"
	Deleted EventType = "deleted"
)

// EventAPI is the stream of changes.
type EventAPI interface {
	// WatchEvents yields every event after a revision, in order, and then
	// those to come, until ctx is done or the loop is left; so reading from
	// the Revision of a list misses nothing. When the cloud no longer has the
	// events after that revision, it yields Conflict: list again. An error is
	// the last thing that is yielded; the caller resumes after the last event it has seen.
	WatchEvents(ctx context.Context, after uint64) iter.Seq2[Event, error]
}
