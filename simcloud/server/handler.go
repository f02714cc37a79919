package server

import (
	"context"
	"net/http"
	"reflect"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/openapi"
)

// operation is how one operation is answered, and what it looks like on the wire.
type operation struct {
	handle edge.Handler
	shape  openapi.Shape
}

// none marks an operation without a request or response body.
type none struct{}

// typed is the operation of a handler that reads an S, unless it has no request, and replies with a T.
func typed[S, T any](status int, handle edge.Handler, query ...openapi.Parameter) operation {
	shape := openapi.Shape{Response: reflect.TypeFor[T](), Status: status, Query: query}
	if request := reflect.TypeFor[S](); request != reflect.TypeFor[none]() {
		shape.Request = request
	}
	return operation{handle, shape}
}

// mutating is the operation of a handler that changes a resource: it heeds the conditions of a call.
func mutating[S, T any](status int, handle edge.Handler) operation {
	op := typed[S, T](status, handle)
	op.shape.Conditions = true
	return op
}

// versioned adds that the answer has the version of a resource.
func (o operation) versioned() operation {
	o.shape.Versioned = true
	return o
}

// resource is a pointer to a type that has a Meta.
type resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

// list is a list operation.
func list[T any](op simcloud.ListFunc[T]) operation {
	return typed[none, simcloud.Page[T]](http.StatusOK, func(r *http.Request) (edge.Reply, error) {
		opts, err := listOptions(r)
		if err != nil {
			return edge.Reply{}, err
		}
		page, err := fault.List(r.Context(), op, opts)
		if page.Items == nil {
			page.Items = []T{} // a list without items is no answer to a client
		}
		return edge.Reply{Status: http.StatusOK, Body: page}, err
	}, listParameters()...)
}

// get is an operation that reads one resource.
func get[T any, P resource[T]](op func(context.Context, simcloud.ID) (T, error)) operation {
	return typed[none, T](http.StatusOK, plain(func(r *http.Request) (edge.Reply, error) {
		v, err := op(r.Context(), pathID(r, "id"))
		return edge.Reply{Status: http.StatusOK, Body: v, Meta: P(&v).GetMeta()}, err
	})).versioned()
}

// create is an operation that makes a resource.
func create[S, T any, P resource[T]](op func(context.Context, S, ...simcloud.CallOption) (simcloud.Result[T], error)) operation {
	return mutating[S, simcloud.Result[T]](http.StatusCreated, mutation(func(r *http.Request, spec S, opts []simcloud.CallOption) (edge.Reply, error) {
		return result[T, P](http.StatusCreated)(op(r.Context(), spec, opts...))
	})).versioned()
}

// update is an operation that has a body for one resource.
func update[S, T any, P resource[T]](op func(context.Context, simcloud.ID, S, ...simcloud.CallOption) (simcloud.Result[T], error)) operation {
	return mutating[S, simcloud.Result[T]](http.StatusOK, mutation(func(r *http.Request, spec S, opts []simcloud.CallOption) (edge.Reply, error) {
		return result[T, P](http.StatusOK)(op(r.Context(), pathID(r, "id"), spec, opts...))
	})).versioned()
}

// createPart is an operation that adds a part to a resource.
func createPart[S, T any, P resource[T]](op func(context.Context, simcloud.ID, S, ...simcloud.CallOption) (simcloud.Result[T], error)) operation {
	return mutating[S, simcloud.Result[T]](http.StatusCreated, mutation(func(r *http.Request, spec S, opts []simcloud.CallOption) (edge.Reply, error) {
		return result[T, P](http.StatusCreated)(op(r.Context(), pathID(r, "id"), spec, opts...))
	})).versioned()
}

// updatePart is an operation that replaces a part of a resource.
func updatePart[S, T any, P resource[T]](part string, op func(context.Context, simcloud.ID, simcloud.ID, S, ...simcloud.CallOption) (simcloud.Result[T], error)) operation {
	return mutating[S, simcloud.Result[T]](http.StatusOK, mutation(func(r *http.Request, spec S, opts []simcloud.CallOption) (edge.Reply, error) {
		return result[T, P](http.StatusOK)(op(r.Context(), pathID(r, "id"), pathID(r, part), spec, opts...))
	})).versioned()
}

// act is a verb without a body.
func act[T any, P resource[T]](op func(context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[T], error)) operation {
	return mutating[none, simcloud.Result[T]](http.StatusOK, action(func(r *http.Request, opts []simcloud.CallOption) (edge.Reply, error) {
		return result[T, P](http.StatusOK)(op(r.Context(), pathID(r, "id"), opts...))
	})).versioned()
}

// removePart is an operation that removes a part of a resource.
func removePart[T any, P resource[T]](part string, op func(context.Context, simcloud.ID, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[T], error)) operation {
	return mutating[none, simcloud.Result[T]](http.StatusOK, action(func(r *http.Request, opts []simcloud.CallOption) (edge.Reply, error) {
		return result[T, P](http.StatusOK)(op(r.Context(), pathID(r, "id"), pathID(r, part), opts...))
	})).versioned()
}

// remove is an operation that deletes a resource.
func remove(op func(context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Operation, error)) operation {
	return mutating[none, simcloud.Operation](http.StatusOK, action(func(r *http.Request, opts []simcloud.CallOption) (edge.Reply, error) {
		operation, err := op(r.Context(), pathID(r, "id"), opts...)
		return edge.Reply{Status: http.StatusOK, Body: operation, Operation: operation.ID}, err
	}))
}

// result turns what a mutation returns into a reply.
func result[T any, P resource[T]](status int) func(simcloud.Result[T], error) (edge.Reply, error) {
	return func(res simcloud.Result[T], err error) (edge.Reply, error) {
		return edge.Reply{Status: status, Body: res, Meta: P(&res.Resource).GetMeta(), Operation: res.Operation.ID}, err
	}
}

// mutation reads the body and the conditions of a call.
func mutation[S any](fn func(*http.Request, S, []simcloud.CallOption) (edge.Reply, error)) edge.Handler {
	return plain(func(r *http.Request) (edge.Reply, error) {
		opts, err := callOptions(r)
		if err != nil {
			return edge.Reply{}, err
		}
		spec, err := decode[S](r)
		if err != nil {
			return edge.Reply{}, err
		}
		return fn(r, spec, opts)
	})
}

// action reads the conditions of a call that has no body.
func action(fn func(*http.Request, []simcloud.CallOption) (edge.Reply, error)) edge.Handler {
	return plain(func(r *http.Request) (edge.Reply, error) {
		if err := refuseBody(r); err != nil {
			return edge.Reply{}, err
		}
		opts, err := callOptions(r)
		if err != nil {
			return edge.Reply{}, err
		}
		return fn(r, opts)
	})
}

// plain refuses parameters where there are none.
func plain(fn edge.Handler) edge.Handler {
	return func(r *http.Request) (edge.Reply, error) {
		if r.URL.RawQuery != "" {
			if err := readQuery(r).err(); err != nil {
				return edge.Reply{}, err
			}
		}
		return fn(r)
	}
}
