package service

import (
	"cmp"
	"context"
	"net/http"
	"regexp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// Service is one of AWS' services. A request names it by the edition of its API.
type Service struct {
	// Name is how the names of its operations begin: ec2 in "ec2:DescribeInstances".
	Name string
	// Version is the edition that is simulated, and Namespace that of its answers.
	Version, Namespace string
	// Scope is the service in the credentials of a signature.
	Scope    string
	Protocol query.Protocol
	Codes    Codes
	// DryRun is whether all actions take the parameter DryRun: with true they end before they do anything.
	DryRun bool
	// Operations are those that are simulated, and Unsupported the names of others that
	// it has: they answer InvalidAction.
	Operations  []Operation
	Unsupported []string
}

// Operation is an action of a service.
type Operation struct {
	// Name is the action, such as "DescribeInstances".
	Name string
	// Core is the operation of the cloud that it stands for; empty for one that only asks who calls.
	Core string
	// About reads from a request which operation of the cloud it stands for, when that is not
	// always Core, and which resource it names. Nil: Core, and no resource.
	About func(query.Form) (core string, id simcloud.ID)
	// Named finds the resources that a request names by their names, or beside the one of About, for fault rules; nil: none.
	Named func(Call) []simcloud.ID
	// Subject is what a creation says of what is to be created, for fault rules; nil: nothing.
	Subject  func(query.Form) fault.Subject
	Handle   Handler
	Standing dialect.Standing
}

// Handler answers one request: the content of the answer, and the resource that it is about, if it is about one.
type Handler func(Call) (any, *simcloud.Meta, error)

// Backend is what all services work with.
type Backend struct {
	Cloud simcloud.API
	// Lifetime tells when the token of a caller ends; nil: that none does.
	Lifetime Lifetime
	// Config reads how the cloud behaves; nil: as a new one.
	Config Config
}

// Config reads how a cloud behaves.
type Config func(ctx context.Context) (simcloud.Config, error)

// Variant is the answer of the cloud to a question that AWS leaves open.
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
	Form    query.Form
	Service *Service
	// Region is the one that the request is for.
	Region  simcloud.ID
	shown   func(zone simcloud.ID) bool // nil: all zones
	request *http.Request
	made    func(simcloud.Operation)
}

// Ctx is the context of the request. All calls of the cloud have it, or one that is derived from it.
func (c Call) Ctx() context.Context { return c.request.Context() }

// with returns the call with another context.
func (c Call) with(ctx context.Context) Call {
	c.request = c.request.WithContext(ctx)
	return c
}

// Read is the handler of an action that changes nothing: all of its reads see one state of the cloud.
func Read[In, Out any](answer func(Call, In) (Out, error)) Handler {
	return func(c Call) (any, *simcloud.Meta, error) {
		in, err := decode[In](c)
		if err != nil {
			return nil, nil, err
		}
		out, err := viewed(c, in, answer)
		return out, nil, err
	}
}

// Remember is Read for an action that may be about one resource alone: key says which one by a text, or nothing
// for a request that is about others. What it takes to show the resource is not done again as long as nothing of it
// has changed. Then the answer must depend on nothing but the state of the cloud, also not on a fault rule.
func Remember[In, Out any](answer func(Call, In) (Out, error), key func(In) string) Handler {
	return func(c Call) (any, *simcloud.Meta, error) {
		in, err := decode[In](c)
		if err != nil {
			return nil, nil, err
		}
		t, able := c.Cloud.(simcloud.Transactor)
		about := key(in)
		if !able || about == "" {
			out, err := viewed(c, in, answer)
			return out, nil, err
		}
		kept, err := t.Remember(c.Ctx(), c.Service.OperationName(about)+"@"+string(c.Region), func(ctx context.Context) (any, error) {
			out, err := answer(c.with(ctx), in)
			if err != nil {
				return nil, err
			}
			return c.Service.Protocol.Encode(out), nil
		})
		return kept, nil, err
	}
}

// viewed answers from one state of the cloud.
func viewed[In, Out any](c Call, in In, answer func(Call, In) (Out, error)) (out Out, err error) {
	err = dialect.View(c.Ctx(), c.Cloud, func(ctx context.Context) (err error) {
		out, err = answer(c.with(ctx), in)
		return err
	})
	return out, err
}

// Write is the handler of an action that changes something: all of it, or nothing when it fails. It returns
// the resource that was changed.
func Write[In, Out any](answer func(Call, In) (Out, *simcloud.Meta, error)) Handler {
	return func(c Call) (any, *simcloud.Meta, error) {
		in, err := decode[In](c)
		if err != nil {
			return nil, nil, err
		}
		var out Out
		var meta *simcloud.Meta
		noted := simcloud.WithOperationNote(c.Ctx(), func(op simcloud.Operation) { c.made(op) })
		err = dialect.Atomic(noted, c.Cloud, func(ctx context.Context) (err error) {
			out, meta, err = answer(c.with(ctx), in)
			return err
		})
		return out, meta, err
	}
}

func decode[In any](c Call) (In, error) {
	var in In
	dry := ""
	if c.Service.DryRun {
		dry = c.Form.Take("DryRun")
	}
	if err := c.Service.Protocol.Decode(c.Form, &in); err != nil {
		return in, err
	}
	dialect.Decoded(c.Ctx(), in)
	switch dry {
	case "", "false":
		return in, nil
	case "true":
		return in, dryRun()
	default:
		return in, Refuse(simcloud.Invalid, "InvalidParameterValue", "Invalid value '%s' for DryRun: must be true or false", query.Clip(dry))
	}
}

// Answer is what a reply has for a body: the content, and what the envelope needs.
type Answer struct {
	Service *Service
	Action  string
	Content any
}

// Serve is the operation of a request as the edge serves it, in the dialect of that name. The form is the request's.
func (s *Service) Serve(dialectName string, backend Backend, r *http.Request, form query.Form) edge.Operation {
	o, ok := s.operation(form.Action)
	if !ok {
		return s.refused(dialectName, r, form)
	}
	core, id := o.Core, simcloud.ID("")
	if o.About != nil {
		core, id = o.About(form)
	}
	served := edge.Operation{
		Endpoint: endpoint(core), ID: id, Dialect: dialectName, Name: s.OperationName(o.Name),
		Handle: func(r *http.Request) (edge.Reply, error) {
			reply := edge.Reply{Status: http.StatusOK}
			c, err := Call{
				Backend: backend, Form: form, Service: s, request: r,
				made: func(op simcloud.Operation) { reply.Operation = op.ID }, // the last one stands for all
			}.located()
			if err != nil {
				return reply, err
			}
			content, meta, err := o.Handle(c)
			reply.Body, reply.Meta = Answer{s, o.Name, content}, meta
			return reply, err
		},
	}
	if o.Named != nil {
		served.Named = func(ctx context.Context) []simcloud.ID {
			return o.Named(Call{Backend: backend, Form: form, Service: s, request: new(http.Request).WithContext(ctx)})
		}
	}
	if o.Subject != nil {
		served.Subject = func([]byte) fault.Subject { return o.Subject(form) }
	}
	return served
}

// OperationName is how the journal and fault rules name an action: "ec2:DescribeInstances".
func (s *Service) OperationName(action string) string { return s.Name + ":" + action }

func (s *Service) operation(action string) (Operation, bool) {
	for _, o := range s.Operations {
		if o.Name == action {
			return o, true
		}
	}
	return Operation{}, false
}

// Unknown stands for the operation of the cloud where a call is for none.
const Unknown = "Unknown"

// endpoint is what an operation stands for. One that the cloud does not have is a read.
func endpoint(core string) simcloud.Endpoint {
	if e, ok := simcloud.EndpointOf(core); ok {
		return e
	}
	return simcloud.Endpoint{Operation: cmp.Or(core, Unknown), Method: http.MethodGet, Path: "/v1/aws"}
}

// actionRE matches what can be the name of an action.
var actionRE = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,63}$`)

// Refusal is an operation that answers an error, of a request that is for none of the table.
func (s *Service) Refusal(dialectName, name string, err error) edge.Operation {
	return edge.Operation{
		Endpoint: endpoint(Unknown), Dialect: dialectName, Name: s.OperationName(name),
		Handle: func(*http.Request) (edge.Reply, error) { return edge.Reply{}, err },
	}
}

// refused is the operation of an action that is not simulated, or that does not exist.
func (s *Service) refused(dialectName string, r *http.Request, form query.Form) edge.Operation {
	if form.Action == "" {
		return s.Refusal(dialectName, edge.RequestName(r), Refuse(simcloud.Invalid, "MissingAction", "The request must contain the parameter Action."))
	}
	for _, name := range s.Unsupported {
		if name == form.Action {
			return s.Refusal(dialectName, name, Refuse(simcloud.Unimplemented, "InvalidAction",
				"The action %s is not valid for this web service: simcloud does not simulate it.", name))
		}
	}
	name := form.Action
	if !actionRE.MatchString(name) {
		name = edge.RequestName(r)
	}
	return s.Refusal(dialectName, name, Refuse(simcloud.Unimplemented, "InvalidAction",
		"The action %q is not valid for this web service.", query.Clip(form.Action)))
}
