package service

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// Service is one of OpenStack's services.
type Service struct {
	// Name is how the names of its operations begin: nova in "nova:GetServer".
	Name string
	// Type is the service in the catalog, such as "compute".
	Type string
	// Mount is where it is, below the path of the dialect, and Path what the catalog has behind that.
	Mount, Path string
	Codes       Codes
	// NotFoundFormat says that something is not found; it has a verb for what it is and one for its id.
	NotFoundFormat string
	// Envelope is what an error looks like.
	Envelope func(Problem) any
	// Operations are those that are simulated, and Unsupported others that it has: they answer Unimplemented.
	Operations  []Operation
	Unsupported []Operation
}

// Operation is one call of a service.
type Operation struct {
	Name   string
	Method string
	// Path is below Mount. It may have {id} in it, and behind that {part}.
	Path string
	// Core is the operation of the cloud that it stands for; empty for one that the cloud has not.
	Core string
	// ID returns the id in the cloud of what {id} is, empty for an id of another kind; nil: the cloud has none such, or
	// it is not of the kind of Core.
	ID func(uuid string) simcloud.ID
	// Perhaps is ID for an {id} that may also stand for something of another kind: fault rules and the journal go by the id, if
	// there is one, and Handle finds what it is.
	Perhaps func(uuid string) simcloud.ID
	// What is what {id} is, for errors: "Load Balancer".
	What string
	// Anonymous is whether a request needs no session.
	Anonymous bool
	// Status is that of a success; 0 means 200.
	Status int
	// Subject reads from the body of a creation what fault rules ask of the resource; nil: nothing.
	Subject func(body []byte) fault.Subject
	// Within reads from the body of a creation the id in the cloud of what Core changes: the load balancer of a new
	// listener. Fault rules go by it; nil: the path has it, or it is not there yet.
	Within   func(body []byte) simcloud.ID
	Handle   Handler
	Standing dialect.Standing
}

// Handler answers one request: the body of the answer, nil for none, and the resource that it is about, if it is about one.
type Handler func(Call) (any, *simcloud.Meta, error)

// Backend is what all services work with.
type Backend struct {
	Cloud simcloud.API
	// Config reads how the cloud behaves; nil: as a new one.
	Config func(ctx context.Context) (simcloud.Config, error)
	// Now is the time of the cloud; nil: the real one.
	Now func() time.Time
	// SessionKey signs sessions. See the function SessionKey.
	SessionKey []byte
	// TokenEnd tells until when a token of the cloud is good, by its clock; zero for a token without an end. Nil: none has one.
	TokenEnd func(ctx context.Context, token simcloud.ID) (time.Time, error)
}

// Time is the time of the cloud.
func (b Backend) Time() time.Time {
	if b.Now == nil {
		return time.Now()
	}
	return b.Now()
}

// Variant is the answer of the cloud to a question that OpenStack leaves open.
func (c Call) Variant(name string) (string, error) {
	if c.Config == nil {
		return simcloud.Config{}.Variant(name), nil
	}
	config, err := c.Config(c.Ctx())
	return config.Variant(name), err
}

// Call is one request on its way.
type Call struct {
	Backend
	Service *Service
	// UUID is the {id} of the path, and ID the id in the cloud that it stands for, where the operation tells; Part is the {part}.
	UUID, Part string
	ID         simcloud.ID

	operation Operation
	request   *http.Request
	made      func(simcloud.Operation)
}

// Ctx is the context of the request. All calls of the cloud have it, or one that is derived from it.
func (c Call) Ctx() context.Context { return c.request.Context() }

// Query is that of the request's URL.
func (c Call) Query() url.Values { return c.request.URL.Query() }

// Endpoint is the URL of the dialect as the client sees it: its host may be a name that only the client knows.
func (c Call) Endpoint() string {
	scheme := "http"
	if c.request.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + c.request.Host + Root
}

// Root is the path of the dialect.
const Root = "/openstack"

// with returns the call with another context.
func (c Call) with(ctx context.Context) Call {
	c.request = c.request.WithContext(ctx)
	return c
}

// Read is the handler of an operation that changes nothing: all of its reads see one state of the cloud.
func Read(answer func(Call) (any, error)) Handler {
	return func(c Call) (out any, _ *simcloud.Meta, err error) {
		err = dialect.View(c.Ctx(), c.Cloud, func(ctx context.Context) (err error) {
			out, err = answer(c.with(ctx))
			return err
		})
		return out, nil, err
	}
}

// maxHost is the length of the longest name in DNS with a port.
const maxHost = 253 + len(":65535")

// Remember is Read for the read of one resource by its id: what it takes to show it is not done again as long as
// nothing of it has changed. The answer must depend on nothing but the state of the cloud and the URL of the dialect: the query of the request is not a part of it.
func Remember(answer func(Call) (any, error)) Handler {
	return func(c Call) (any, *simcloud.Meta, error) {
		t, able := c.Cloud.(simcloud.Transactor)
		if !able || len(c.request.Host) > maxHost { // a client could have as many answers kept as it has names for the host
			return Read(answer)(c)
		}
		kept, err := t.Remember(c.Ctx(), c.Endpoint()+c.request.URL.Path, // links have the scheme and the host
			func(ctx context.Context) (any, error) {
				out, err := answer(c.with(ctx))
				if err != nil {
					return nil, err
				}
				return dialect.Encode(out)
			})
		return kept, nil, err
	}
}

// Write is the handler of an operation that changes something: all of it, or nothing when it fails. It returns
// the resource that was changed.
func Write[In any](answer func(Call, In) (any, *simcloud.Meta, error)) Handler {
	return func(c Call) (any, *simcloud.Meta, error) {
		in, err := decode[In](c)
		if err != nil {
			return nil, nil, err
		}
		return Change(func(c Call) (any, *simcloud.Meta, error) { return answer(c, in) })(c)
	}
}

// Change is Write of a request without a body.
func Change(answer func(Call) (any, *simcloud.Meta, error)) Handler {
	return func(c Call) (out any, meta *simcloud.Meta, err error) {
		noted := simcloud.WithOperationNote(c.Ctx(), func(op simcloud.Operation) { c.made(op) })
		err = dialect.Atomic(noted, c.Cloud, func(ctx context.Context) (err error) {
			out, meta, err = answer(c.with(ctx))
			return err
		})
		return out, meta, err
	}
}

// Answer is what a reply has for a body.
type Answer struct {
	Header http.Header
	Body   any
}

// OperationName is how the journal and fault rules name an operation: "nova:GetServer".
func (s *Service) OperationName(name string) string { return s.Name + ":" + name }

// serve is an operation as the edge serves it.
func (s *Service) serve(dialectName string, backend Backend, o Operation, uuid, part string) edge.Operation {
	c := Call{Backend: backend, Service: s, UUID: uuid, Part: part, operation: o}
	if o.ID != nil && uuid != "" {
		if c.ID = o.ID(uuid); c.ID == "" {
			return s.refusal(dialectName, o, func() error { return s.missing(o, uuid) })
		}
	}
	served := edge.Operation{
		Endpoint: endpoint(o), Dialect: dialectName, Name: s.OperationName(o.Name), Anonymous: o.Anonymous, Subject: o.Subject,
	}
	if kind := served.Endpoint.Kind(); kind != "" {
		served.ID = c.ID
	}
	if o.Perhaps != nil {
		served.ID = o.Perhaps(uuid)
	}
	served.Handle = func(r *http.Request) (edge.Reply, error) {
		c, reply := c, edge.Reply{Status: cmp.Or(o.Status, http.StatusOK)}
		c.request, c.made = r, func(op simcloud.Operation) { reply.Operation = op.ID } // the last one stands for all
		body, meta, err := o.Handle(c)
		reply.Body, reply.Meta = body, meta
		return reply, c.explained(err)
	}
	return served
}

// explained is the error of a handler: what is not found is named as the client has named it.
func (c Call) explained(err error) error {
	var own Code
	if e := asError(err); e != nil && e.Code == simcloud.NotFound && !asCode(e, &own) && c.UUID != "" && c.operation.What != "" {
		return c.Service.missing(c.operation, c.UUID)
	}
	return err
}

// endpoint is what an operation stands for.
func endpoint(o Operation) simcloud.Endpoint {
	if e, ok := simcloud.EndpointOf(o.Core); ok {
		return e
	}
	method := http.MethodGet // a call that changes nothing in the cloud needs the role of a reader
	return simcloud.Endpoint{Operation: cmp.Or(o.Core, "Unknown"), Method: method, Path: "/v1" + Root}
}

// refusal is an operation that answers an error.
func (s *Service) refusal(dialectName string, o Operation, err func() error) edge.Operation {
	return edge.Operation{
		Endpoint: endpoint(o), Dialect: dialectName, Name: s.OperationName(o.Name),
		Handle: func(*http.Request) (edge.Reply, error) { return edge.Reply{}, err() },
	}
}
