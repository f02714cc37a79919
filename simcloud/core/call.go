package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// call is a mutation that somebody asks for.
type call struct {
	verb  string
	admin bool // only admins may
	ids   []simcloud.ID
	spec  any // with a Validate method, or nil
	opts  simcloud.CallOptions
}

// admit says why a call cannot even begin.
func admit(ctx context.Context, call call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	role := simcloud.CallerFrom(ctx).Role
	switch {
	case call.admin && role != simcloud.RoleAdmin:
		return simcloud.Errorf(simcloud.Forbidden, "", "this needs the role admin, the token has %s", role)
	case role != simcloud.RoleAdmin && role != simcloud.RoleWriter:
		return simcloud.Errorf(simcloud.Forbidden, "", "this needs the role writer, the token has %s", role)
	}
	if spec, ok := call.spec.(interface{ Validate() error }); ok {
		return spec.Validate()
	}
	return nil
}

// update runs one mutation in one transaction, after all that is due.
func (c *Cloud) update(ctx context.Context, call call, fn func(*work) error) error {
	if w := outer(ctx); w != nil {
		return w.nested(ctx, call, fn)
	}
	if err := admit(ctx, call); err != nil {
		return err
	}
	return c.db.Update(c.doing(ctx, call, fn))
}

// alone is update for what the next transaction must see in memory too.
func (c *Cloud) alone(ctx context.Context, call call, fn func(*work) error) error {
	if err := admit(ctx, call); err != nil {
		return err
	}
	return c.db.UpdateAlone(c.doing(ctx, call, fn))
}

func (c *Cloud) doing(ctx context.Context, call call, fn func(*work) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		w := c.work(tx, simcloud.CallerFrom(ctx))
		w.call, w.outcome = call, simcloud.BendOf(ctx).Outcome
		tx.SetCause(store.Cause{Request: simcloud.RequestIDFrom(ctx)})
		if _, err := w.completeUntil(w.now); err != nil {
			return err
		}
		mark := tx.UsageMark()
		if err := fn(w); err != nil {
			return err
		}
		return w.withinQuotas(mark)
	}
}

// mutate is update for mutations that answer a resource. With an idempotency
// key it answers what it has answered before.
func mutate[T any](ctx context.Context, c *Cloud, call call, fn func(*work) (simcloud.Result[T], error)) (simcloud.Result[T], error) {
	var result simcloud.Result[T]
	err := c.update(ctx, call, func(w *work) error {
		known, err := w.answered(&result)
		if err != nil || known {
			return err
		}
		if result, err = operating(w, fn); err != nil {
			return err
		}
		return w.remember(result, store.AnswerRecord{Resource: refOf(result.Operation)})
	})
	if err != nil {
		return simcloud.Result[T]{}, err
	}
	return result, nil
}

// remove is update for mutations that answer an operation alone. With an
// idempotency key the second one answers the same; without, NotFound.
func remove(ctx context.Context, c *Cloud, call call, fn func(*work) (simcloud.Operation, error)) (simcloud.Operation, error) {
	var op simcloud.Operation
	err := c.update(ctx, call, func(w *work) error {
		known, err := w.answered(&op)
		if err != nil || known {
			return err
		}
		if op, err = operating(w, fn); err != nil {
			return err
		}
		return w.remember(op, store.AnswerRecord{Resource: refOf(op), Deletion: true})
	})
	if err != nil {
		return simcloud.Operation{}, err
	}
	return op, nil
}

// operating runs fn, which makes one operation. Its id is taken before anything
// changes: the events of what changes have it.
func operating[T any](w *work, fn func(*work) (T, error)) (T, error) {
	var err error
	if w.operation, err = store.Operations.NewID(w.tx); err != nil {
		var none T
		return none, err
	}
	cause := w.tx.Cause()
	defer w.tx.SetCause(cause)
	w.tx.SetCause(store.Cause{Operation: w.operation, Request: cause.Request})
	return fn(w)
}

func refOf(op simcloud.Operation) store.Ref {
	return store.Ref{Kind: op.Resource.Kind, ID: op.Resource.ID}
}

// hash tells calls apart that have the same key.
func (c call) hash() (string, error) {
	raw, err := json.Marshal([]any{c.verb, c.ids, c.spec})
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", c.verb, err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// invalid returns the Invalid error for one field.
func invalid(resource, field, format string, args ...any) error {
	return simcloud.InvalidFields(resource, []simcloud.FieldError{{Field: field, Detail: fmt.Sprintf(format, args...)}})
}
