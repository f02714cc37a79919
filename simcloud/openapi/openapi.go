// Package openapi describes the cloud's HTTP interface, by OpenAPI 3.1, from
// the table that it is routed by and the Go types that it speaks in.
package openapi

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Config is what a document is made of.
type Config struct {
	Endpoints []simcloud.Endpoint
	// Shapes has the shape of each operation by its name.
	Shapes map[string]Shape
	// Problems are how errors look, and Problem the type of their body.
	Problems []Problem
	Problem  reflect.Type
}

// Problem is how a code looks in HTTP.
type Problem struct {
	Code   simcloud.Code
	Status int
	Title  string
}

// Media types of bodies.
const (
	mediaJSON    = "application/json"
	mediaProblem = "application/problem+json"
	mediaStream  = "text/event-stream"
)

// builder is a document in the making.
type builder struct {
	Config
	types
	doc      *Document
	recorded map[string]recorded
}

// New describes the operations. An operation without a shape is left out.
func New(cfg Config) (*Document, error) {
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	examples, err := readRecorded()
	if err != nil {
		return nil, err
	}
	b := &builder{Config: cfg, types: types{comments, map[string]*Schema{}}, doc: newDocument(), recorded: examples}
	b.doc.Components.Schemas = b.schemas
	b.addProblems()
	for _, e := range cfg.Endpoints {
		if shape, ok := cfg.Shapes[e.Operation]; ok {
			b.add(e, shape)
		}
	}
	return b.doc, nil
}

func newDocument() *Document {
	return &Document{
		OpenAPI: Version,
		Info: Info{
			Title: "simcloud", Version: "1",
			Description: "A simulated cloud. Below /v1 is what a real one has too, below /_sim what only a simulator can do. " +
				"Every error is a problem by RFC 9457 with a code. Besides, the server has /healthz, /readyz, /metrics, " +
				"/openapi.json and /docs, which need no token.",
		},
		Docs:     &ExternalDocs{URL: "/docs", Description: "The same as a page to read"},
		Servers:  []Server{{URL: "/", Description: "where this document was read"}},
		Security: []map[string][]string{{"token": {}}},
		Paths:    map[string]PathItem{},
		Components: Components{
			Responses:  map[string]Response{},
			Parameters: conditions(),
			Headers:    headers(),
			SecuritySchemes: map[string]SecurityScheme{"token": {
				Type: "http", Scheme: "bearer", Description: "The secret of a token. Below /_sim it has to be an admin's.",
			}},
		},
	}
}

// add describes one operation.
func (b *builder) add(e simcloud.Endpoint, shape Shape) {
	said := b.comments.Operations[e.Operation]
	op := &Operation{
		ID: e.Operation, Tags: []string{b.tag(said.Group)}, Summary: words(e.Operation), Description: said.Doc,
		Parameters: b.parameters(e, shape), Responses: b.failures(e),
	}
	if shape.Request != nil {
		op.Body = &Body{Required: true, Content: map[string]Media{mediaJSON: {Schema: b.request(shape), Example: b.recorded[e.Operation].Request}}}
	}
	op.Responses[strconv.Itoa(shape.Status)] = b.success(e, shape)
	item, ok := b.doc.Paths[e.Path]
	if !ok {
		item = PathItem{}
		b.doc.Paths[e.Path] = item
	}
	item[strings.ToLower(e.Method)] = op
}

// request is the schema of a body. One that is answered as well has fields that
// only the cloud fills in, so that none of them is required.
func (b *builder) request(shape Shape) *Schema {
	schema := b.of(shape.Request)
	if shape.Request != shape.Response {
		return schema
	}
	name := strings.TrimPrefix(schema.Ref, schemaPrefix)
	free := *b.schemas[name]
	free.Required = nil
	b.schemas[name+"Request"] = &free
	return &Schema{Ref: schema.Ref + "Request"}
}

// tag returns the name of a group, which it describes when it is new.
func (b *builder) tag(group string) string {
	for _, tag := range b.doc.Tags {
		if tag.Name == group {
			return group
		}
	}
	b.doc.Tags = append(b.doc.Tags, Tag{Name: group, Description: b.comments.Groups[group]})
	return group
}

func (b *builder) parameters(e simcloud.Endpoint, shape Shape) []*Param {
	var params []*Param
	for part := range strings.SplitSeq(e.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			params = append(params, &Param{
				Name: strings.TrimSuffix(name, "}"), In: "path", Required: true, Schema: &Schema{Type: "string"},
			})
		}
	}
	for _, p := range shape.Query {
		params = append(params, &Param{Name: p.Name, In: "query", Description: p.Description, Schema: b.of(p.Type)})
	}
	if shape.Conditions {
		params = append(params, &Param{Ref: parameterPrefix + idempotencyKey}, &Param{Ref: parameterPrefix + ifMatch})
	}
	if shape.Stream {
		params = append(params, &Param{Ref: parameterPrefix + lastEventID})
	}
	if e.Method == http.MethodGet {
		params = append(params, &Param{Ref: parameterPrefix + consistency})
	}
	return append(params, &Param{Ref: parameterPrefix + requestID})
}

func (b *builder) success(e simcloud.Endpoint, shape Shape) Response {
	response := Response{Description: http.StatusText(shape.Status), Headers: common()}
	if shape.Versioned {
		response.Headers["ETag"] = Header{Ref: headerPrefix + "ETag"}
	}
	if !shape.Stream {
		response.Content = map[string]Media{mediaJSON: {Schema: b.of(shape.Response), Example: b.recorded[e.Operation].Response}}
		return response
	}
	event := b.of(shape.Response)
	response.Content = map[string]Media{mediaStream: {Event: event, Schema: &Schema{
		Type: "string", Description: "Server-sent events. The data of each is a " + link(event) +
			", its id is what to go on after; the last one may be of the event type problem.",
	}}}
	return response
}

// words is the name of an operation as people say it: "Create load balancer".
func words(operation string) string {
	var out strings.Builder
	for i, r := range operation {
		capital := r >= 'A' && r <= 'Z'
		after := i == 0 || operation[i-1] >= 'A' && operation[i-1] <= 'Z'
		before := i+1 < len(operation) && operation[i+1] >= 'a' && operation[i+1] <= 'z' && operation[i+1:] != "s"
		switch {
		case i == 0:
		case capital && (!after || before):
			out.WriteByte(' ')
			if before {
				r += 'a' - 'A'
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

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
