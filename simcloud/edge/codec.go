package edge

import (
	"context"
	"iter"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// Codec is a wire format: it reads requests and writes answers, and decides nothing.
type Codec interface {
	// Match returns the operation that a request is for, and the request as its handler
	// is to get it, for instance with the ids of its path. Any request has an operation:
	// one that the format does not have is one whose handler returns Unimplemented. A format whose
	// body names the operation reads it with Body, before it is known who calls: see BodyReader.
	Match(r *http.Request) (Operation, *http.Request)
	// Credential reads the secret of a request; a request without one is Unauthenticated.
	Credential(r *http.Request) (string, error)
	// WriteReply writes the answer of a handler.
	WriteReply(w http.ResponseWriter, reply Reply)
	// WriteProblem writes the answer to a call that has failed. The body, without a line
	// break at its end, is also the last message of a stream that fails.
	WriteProblem(w http.ResponseWriter, p Problem)
	// Garble returns the body of a reply with text in place of each state, or the body of a
	// problem with text in place of its code: a value that no client knows.
	Garble(body []byte, problem bool, text string) []byte
}

// IDShower is a codec whose clients know resources by other ids than the cloud's own.
type IDShower interface {
	// ShownID is the id that clients know a resource by.
	ShownID(kind simcloud.Kind, id simcloud.ID) string
}

// Operation is what a request is for. It has a Handle or a Stream.
type Operation struct {
	// Endpoint is the operation of the cloud that the request stands for. Faults, rates,
	// roles, the journal and the metrics go by it.
	Endpoint simcloud.Endpoint
	// ID is the id of the resource that the request names; empty for lists and creations.
	ID simcloud.ID
	// Whole is the resource in the path, such as "network/net-1", where Endpoint is about a part of it that has
	// another kind: a route of the network. Locks of fault rules go by it. Empty everywhere else.
	Whole string
	// Dialect is the wire format, and Name what it calls the operation; both empty for the cloud's own. A request that is
	// for no operation of the dialect has its method and path for a Name, unless the codec says more.
	Dialect, Name string
	Handle        Handler
	Stream        Stream
	// Anonymous is whether a request needs no credential. One whose credential is good has a caller nevertheless.
	Anonymous bool
	// Waits is whether Handle may take as long as the client has patience.
	Waits bool
	// Header is part of every answer.
	Header http.Header
	// Named finds the resources of the endpoint's kind that the request names by their names, or beside ID, for fault
	// rules; nil: none. It runs only while there are rules.
	Named func(context.Context) []simcloud.ID
	// Within reads from the body of a creation the id of what it is a part of, where the path does not have it: ID is that then.
	Within func(body []byte) simcloud.ID
	// Subject reads from the body of a creation what fault rules ask of the resource; nil
	// when the body has none of that. Whether the body is valid is for Handle to decide.
	Subject func(body []byte) fault.Subject
}

// Handler answers one request. The context has the caller and the id of the request.
type Handler func(*http.Request) (Reply, error)

// Reply is the answer to a call that has succeeded.
type Reply struct {
	Status int
	// Body is what the codec writes.
	Body any
	// Meta is that of the resource that the answer is about, if it is about one.
	Meta *simcloud.Meta
	// Operation is the id of the operation that was made, if one was.
	Operation simcloud.ID
}

// Stream checks a request and returns the messages that it is answered with, as server-sent events.
type Stream func(*http.Request) (iter.Seq2[Message, error], error)

// Message is one server-sent event. Data is one line.
type Message struct {
	ID   uint64
	Data []byte
}
