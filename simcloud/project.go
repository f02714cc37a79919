package simcloud

import "context"

// DefaultProject is the project that a new cloud has.
const DefaultProject ID = "default"

// Project holds resources apart from those of other projects.
type Project struct {
	Meta
}

// ProjectSpec describes a project to create. Its name becomes its id.
type ProjectSpec struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
}

// ProjectUpdate changes what is not nil.
type ProjectUpdate struct {
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
}

// Role is what a token may do.
type Role string

// The roles of a token.
const (
	RoleReader Role = "reader" // reads of its project
	RoleWriter Role = "writer" // and changes of it
	RoleAdmin  Role = "admin"  // and the control API, and what all projects share
)

// Caller identifies the caller of an operation. In the journal, of a caller without a valid token only UserAgent is known.
type Caller struct {
	Token     ID     `json:"token,omitempty"` // the id of the token, never its secret
	Project   ID     `json:"project,omitempty"`
	Role      Role   `json:"role,omitempty"`
	UserAgent string `json:"userAgent,omitempty"`
}

type (
	callerKey  struct{}
	requestKey struct{}
)

// WithRequestID returns a context whose operations are called for by the
// request of that id: the operations and events that they make carry it.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestIDFrom returns the id of the request that ctx belongs to; empty without one.
func RequestIDFrom(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// WithCaller returns a context whose operations are called by caller.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerFrom returns the caller of ctx. Without one it is the admin of the
// default project: code that holds core in its own process needs no token.
func CallerFrom(ctx context.Context) Caller {
	if caller, ok := ctx.Value(callerKey{}).(Caller); ok {
		return caller
	}
	return Caller{Project: DefaultProject, Role: RoleAdmin}
}
