// Package openapi describes the cloud's HTTP interface, by OpenAPI 3.1, from
// the table that it is routed by and the Go types that it speaks in.
package openapi

import "reflect"

// Shape is what an operation takes and gives, on the wire.
type Shape struct {
	// Request is the type of the body; nil when there is none.
	Request reflect.Type
	// Response is the type of a success, and Status its status. Of a stream, it is the type of a message.
	Response reflect.Type
	Status   int
	Query    []Parameter
	// Conditions is whether If-Match and Idempotency-Key are heeded.
	Conditions bool
	// Versioned is whether the answer has an ETag, which is the version of its resource.
	Versioned bool
	// Stream is whether the answer is a stream of server-sent events.
	Stream bool
}

// Parameter is a parameter of the query.
type Parameter struct {
	Name        string
	Type        reflect.Type
	Description string
}
