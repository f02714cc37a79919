package hcloud

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"

	strict "sigs.k8s.io/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/strictjson"
)

// call is one request on its way.
type call struct {
	cloud  simcloud.API
	config Config
	r      *http.Request
	// id is the resource that the path names; empty for lists and creations.
	id simcloud.ID
	// prefix is that of the id in the cloud.
	prefix string
	// command is what an action of the call is called.
	command string
}

func (c call) ctx() context.Context { return c.r.Context() }

// atomically runs fn as one change of the cloud, where the cloud can do that.
func (c call) atomically(fn func(ctx context.Context) error) error {
	return dialect.Atomic(c.ctx(), c.cloud, fn)
}

// viewed lets all reads of handle see one state of the cloud, where the cloud can do that.
func (c call) viewed(handle func(call) (edge.Reply, error)) (reply edge.Reply, err error) {
	err = dialect.View(c.ctx(), c.cloud, func(ctx context.Context) error {
		reply, err = handle(c.with(ctx))
		return err
	})
	return reply, err
}

// remembered is viewed for the read of one resource by its id: what it takes to show it
// is not done again as long as nothing of it has changed.
func (c call) remembered(handle func(call) (edge.Reply, error)) (edge.Reply, error) {
	t, ok := c.cloud.(simcloud.Transactor)
	if !ok {
		return handle(c)
	}
	kept, err := t.Remember(c.ctx(), c.r.URL.Path, func(ctx context.Context) (any, error) {
		reply, err := handle(c.with(ctx))
		if err != nil {
			return reply, err
		}
		reply.Body, err = dialect.Encode(reply.Body)
		return reply, err
	})
	reply, _ := kept.(edge.Reply)
	return reply, err
}

// with is the call with another context.
func (c call) with(ctx context.Context) call {
	c.r = c.r.WithContext(ctx)
	return c
}

// answered is the answer that has one thing.
func answered(status int, name string, v any) edge.Reply {
	return edge.Reply{Status: status, Body: map[string]any{name: v}}
}

// decode reads the body, which is one JSON object.
func decode[T any](c call) (T, error) {
	var v T
	body, err := io.ReadAll(http.MaxBytesReader(nil, c.r.Body, edge.MaxBody))
	if err != nil {
		return v, unreadable(c, err)
	}
	if err := strictjson.Text(body); err != nil {
		return v, refuse(simcloud.Invalid, codeJSON, "the body is not JSON: %v", err)
	}
	unknown, err := strict.UnmarshalStrict(body, &v)
	if err != nil {
		return v, undecodable(err)
	}
	dialect.Decoded(c.ctx(), v)
	return v, simcloud.InvalidFields("", strictjson.Fields(unknown, "body"))
}

// unreadable is the error for a body that did not arrive whole.
func unreadable(c call, err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &simcloud.Error{
			Code: simcloud.Invalid, Message: "the body has more than " + strconv.FormatInt(large.Limit, 10) + " bytes",
			Err: refusal{code: codeJSON, status: http.StatusRequestEntityTooLarge},
		}
	case errors.Is(err, os.ErrDeadlineExceeded) && edge.Closing(c.ctx()) != nil:
		return edge.Closing(c.ctx())
	default:
		return refuse(simcloud.Invalid, codeJSON, "the body did not arrive")
	}
}

// undecodable is the error for a body that is no JSON, or has a value of another type.
func undecodable(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return wrong(mistyped.Field, "%s is not allowed: must be %s", mistyped.Value, mistyped.Type)
	case errors.As(err, &mistyped):
		return refuse(simcloud.Invalid, codeJSON, "the body is a JSON %s: must be an object", mistyped.Value)
	default:
		return refuse(simcloud.Invalid, codeJSON, "the body is not JSON: %v", err)
	}
}

// refuseBody reads the body of an action that has no parameters: nothing or an empty object.
func (c call) refuseBody() error {
	body, err := io.ReadAll(http.MaxBytesReader(nil, c.r.Body, edge.MaxBody))
	if err != nil {
		return unreadable(c, err)
	}
	if len(body) == 0 {
		return nil
	}
	var none struct{}
	unknown, err := strict.UnmarshalStrict(body, &none)
	if err != nil {
		return undecodable(err)
	}
	return simcloud.InvalidFields("", strictjson.Fields(unknown, "body"))
}

// subjectOf is what the body of a creation says of what is to be created.
func subjectOf(body []byte) fault.Subject {
	var spec struct {
		Name     string            `json:"name"`
		Location simcloud.ID       `json:"location"`
		Labels   map[string]string `json:"labels"`
	}
	if json.Unmarshal(body, &spec) != nil {
		return fault.Subject{}
	}
	return fault.Subject{Name: spec.Name, Zone: spec.Location, Labels: spec.Labels}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
