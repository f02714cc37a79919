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

// request is a mutation that a caller asks for.
type request struct {
	verb  string
	admin bool // only admins may
	ids   []simcloud.ID
	spec  any // with a Validate method, or nil
	opts  simcloud.CallOptions
}

// admit says why a call cannot even begin.
func admit(ctx context.Context, req request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	role := simcloud.CallerFrom(ctx).Role
	switch {
	case req.admin && role != simcloud.RoleAdmin:
		return simcloud.Errorf(simcloud.Forbidden, "", "this needs the role admin, the token has %s", role)
	case role != simcloud.RoleAdmin && role != simcloud.RoleWriter:
		return simcloud.Errorf(simcloud.Forbidden, "", "this needs the role writer, the token has %s", role)
	}
	if spec, ok := req.spec.(interface{ Validate() error }); ok {
		return spec.Validate()
	}
	return nil
}

// mutations are those of simcloud.API. They are methods of a cloud, each in a
// transaction of its own, and of a transaction that they are all a part of.
type mutations struct {
	cloud *Cloud
	txn   *txn // nil: each has its own
}

// update runs one mutation: in one transaction, after all that is due, or as a part
// of the transaction of m, whose limits hold for all of it together.
func (m mutations) update(ctx context.Context, req request, fn func(*txn) error) error {
	if err := admit(ctx, req); err != nil {
		return err
	}
	if m.txn == nil {
		w, err := m.cloud.wholeOf(ctx)
		switch {
		case err != nil:
			return err
		case w != nil:
			return w.update(ctx, req, fn)
		}
		return m.cloud.db.Update(m.cloud.inTxn(ctx, req, fn))
	}
	part := *m.txn
	part.req, part.caller, part.outcome = req, simcloud.CallerFrom(ctx), simcloud.Outcome{}
	return fn(&part)
}

// updateExclusive is update for what the next transaction must see in memory too.
func (c *Cloud) updateExclusive(ctx context.Context, req request, fn func(*txn) error) error {
	if err := admit(ctx, req); err != nil {
		return err
	}
	if err := c.alone(ctx, req.verb); err != nil {
		return err
	}
	return c.db.UpdateAlone(c.inTxn(ctx, req, fn))
}

// inTxn is fn in a transaction that begins with all that is due, and ends within the quotas.
func (c *Cloud) inTxn(ctx context.Context, req request, fn func(*txn) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		t := c.newTxn(tx, simcloud.CallerFrom(ctx))
		t.req, t.outcome = req, simcloud.OverrideOf(ctx).Outcome
		tx.SetCause(store.Cause{Request: simcloud.RequestIDFrom(ctx)})
		if _, err := t.completeUntil(t.now); err != nil {
			return err
		}
		mark := tx.UsageMark()
		if err := fn(t); err != nil {
			return err
		}
		return t.withinQuotas(mark)
	}
}

// mutate is update for mutations that answer a resource. With an idempotency
// key it answers what it has answered before.
func mutate[T any](ctx context.Context, m mutations, req request, fn func(*txn) (simcloud.Result[T], error)) (simcloud.Result[T], error) {
	var result simcloud.Result[T]
	err := m.update(ctx, req, func(t *txn) error {
		known, err := t.answered(&result)
		if err != nil || known {
			return err
		}
		if result, err = operating(t, fn); err != nil {
			return err
		}
		return t.remember(result, store.AnswerRecord{Resource: refOf(result.Operation)})
	})
	if err != nil {
		return simcloud.Result[T]{}, err
	}
	simcloud.NoteOperation(ctx, result.Operation)
	return result, nil
}

// remove is update for mutations that answer an operation alone. With an
// idempotency key the second one answers the same; without, NotFound.
func remove(ctx context.Context, m mutations, req request, fn func(*txn) (simcloud.Operation, error)) (simcloud.Operation, error) {
	var op simcloud.Operation
	err := m.update(ctx, req, func(t *txn) error {
		known, err := t.answered(&op)
		if err != nil || known {
			return err
		}
		if op, err = operating(t, fn); err != nil {
			return err
		}
		return t.remember(op, store.AnswerRecord{Resource: refOf(op), Deletion: true})
	})
	if err != nil {
		return simcloud.Operation{}, err
	}
	simcloud.NoteOperation(ctx, op)
	return op, nil
}

// operating runs fn, which makes one operation. Its id is taken before anything
// changes: the events of what changes have it.
func operating[T any](t *txn, fn func(*txn) (T, error)) (T, error) {
	var err error
	if t.operation, err = store.Operations.NewID(t.tx); err != nil {
		var none T
		return none, err
	}
	cause := t.tx.Cause()
	defer t.tx.SetCause(cause)
	t.tx.SetCause(store.Cause{Operation: t.operation, Request: cause.Request})
	return fn(t)
}

func refOf(op simcloud.Operation) store.Ref {
	return store.Ref{Kind: op.Resource.Kind, ID: op.Resource.ID}
}

// hash tells calls apart that have the same key.
func (c request) hash() (string, error) {
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
