package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The functions of this file are what the methods of Client are made of. Each
// says which answer is one: with the ids that the cloud gives to everything.

// resource is a pointer to a type that has a Meta.
type resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

// get reads one resource.
func get[T any, P resource[T]](ctx context.Context, c *Client, operation string, id simcloud.ID) (T, error) {
	return call(ctx, c, operation, nil, nil, []simcloud.ID{id}, func(v *T) error {
		if got := P(v).GetMeta().ID; got != id {
			return fmt.Errorf("it is about %q, not %q", got, id)
		}
		return nil
	})
}

// list reads one page.
func list[T any, P resource[T]](ctx context.Context, c *Client, operation string, opts simcloud.ListOptions) (simcloud.Page[T], error) {
	req, err := newRequest(operation, nil)
	if err != nil {
		return simcloud.Page[T]{}, err
	}
	req.query = listQuery(opts)
	return perform(ctx, c, req, func(page *simcloud.Page[T]) error {
		if page.Items == nil {
			return errors.New("a list without items")
		}
		for i := range page.Items {
			if P(&page.Items[i]).GetMeta().ID == "" {
				return fmt.Errorf("item %d has no id", i)
			}
		}
		return nil
	})
}

func listQuery(opts simcloud.ListOptions) url.Values {
	query := url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	set("name", opts.Name)
	set("selector", opts.Selector)
	set("state", opts.State)
	set("refersTo", opts.RefersTo)
	set("pageToken", opts.PageToken)
	for name, n := range map[string]int{"pageSize": opts.PageSize, "page": opts.Page} {
		if n != 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
	return query
}

// mutate changes a resource, or creates one; spec is nil for verbs without a body.
func mutate[T any, P resource[T]](ctx context.Context, c *Client, operation string, spec any, opts []simcloud.CallOption, ids ...simcloud.ID) (simcloud.Result[T], error) {
	return call(ctx, c, operation, spec, opts, ids, func(result *simcloud.Result[T]) error {
		if P(&result.Resource).GetMeta().ID == "" || result.Operation.ID == "" {
			return errors.New("a result without a resource or an operation")
		}
		return nil
	})
}

// remove deletes a resource.
func remove(ctx context.Context, c *Client, operation string, id simcloud.ID, opts []simcloud.CallOption) (simcloud.Operation, error) {
	return call(ctx, c, operation, nil, opts, []simcloud.ID{id}, func(op *simcloud.Operation) error {
		if op.ID == "" {
			return errors.New("an operation without an id")
		}
		return nil
	})
}

// call performs an operation whose arguments are ids and a body.
func call[T any](ctx context.Context, c *Client, operation string, body any, opts []simcloud.CallOption, ids []simcloud.ID, check func(*T) error) (T, error) {
	var none T
	req, err := newRequest(operation, ids)
	if err != nil {
		return none, err
	}
	req.opts = simcloud.Options(opts)
	if body != nil {
		if err := req.setBody(body); err != nil {
			return none, err
		}
	}
	return perform(ctx, c, req, check)
}

// perform decodes the answer, which counts only when check accepts it.
func perform[T any](ctx context.Context, c *Client, req *request, check func(*T) error) (T, error) {
	var answer T
	err := c.do(ctx, req, func(body []byte) error {
		var v T
		if err := json.Unmarshal(body, &v); err != nil {
			return err
		}
		if err := check(&v); err != nil {
			return err
		}
		answer = v
		return nil
	})
	return answer, err
}
