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
		w.call = call
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
		if result, err = fn(w); err != nil {
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
		if op, err = fn(w); err != nil {
			return err
		}
		return w.remember(op, store.AnswerRecord{Resource: refOf(op), Deletion: true})
	})
	if err != nil {
		return simcloud.Operation{}, err
	}
	return op, nil
}

func refOf(op simcloud.Operation) store.Ref {
	return store.Ref{Kind: op.Resource.Kind, ID: op.Resource.ID}
}

// keptAnswers is how many answers to calls with an idempotency key are kept.
const keptAnswers = 65536

func (w *work) answerKey() string {
	return store.Key(string(w.caller.Project), w.call.opts.IdempotencyKey)
}

// answered finds the answer to an earlier call with the same key. An answer
// about a resource that is gone no longer counts, unless it is about its
// deletion: the key is free again.
func (w *work) answered(result any) (bool, error) {
	if w.call.opts.IdempotencyKey == "" {
		return false, nil
	}
	answer, ok, err := store.Answers.Get(w.tx, w.answerKey())
	if err != nil || !ok || !answer.Deletion && !w.exists(answer.Resource) {
		return false, err
	}
	hash, err := w.call.hash()
	if err != nil {
		return false, err
	}
	if hash != answer.Call {
		return false, simcloud.Errorf(simcloud.Conflict, simcloud.Ref(answer.Resource.Kind, answer.Resource.ID),
			"the idempotency key %q was used for another call", w.call.opts.IdempotencyKey)
	}
	return true, json.Unmarshal(answer.Answer, result)
}

// remember keeps the answer for calls with the same key; record says what it is about.
func (w *work) remember(result any, record store.AnswerRecord) error {
	if w.call.opts.IdempotencyKey == "" {
		return nil
	}
	var err error
	if record.Call, err = w.call.hash(); err != nil {
		return err
	}
	if record.Answer, err = json.Marshal(result); err != nil {
		return err
	}
	if record.Order, err = w.orderAnswer(); err != nil {
		return err
	}
	if err := store.Answers.Put(w.tx, w.answerKey(), record); err != nil {
		return err
	}
	return w.forgetAnswer(record.Order)
}

// orderAnswer puts the key behind all others, and no longer where it was for
// an answer that does not count any more.
func (w *work) orderAnswer() (uint64, error) {
	old, ok, err := store.Answers.Get(w.tx, w.answerKey())
	if err != nil {
		return 0, err
	}
	if ok {
		if err := store.AnswerOrder.Delete(w.tx, store.Ordered(old.Order)); err != nil {
			return 0, err
		}
	}
	n, err := store.AnswerCounter.Next(w.tx)
	if err != nil {
		return 0, err
	}
	return n, store.AnswerOrder.Put(w.tx, store.Ordered(n), []byte(w.answerKey()))
}

// forgetAnswer lets go of the answer that no longer fits beside the newest.
func (w *work) forgetAnswer(newest uint64) error {
	if newest <= keptAnswers {
		return nil
	}
	oldest := newest - keptAnswers
	key, ok, err := store.AnswerOrder.Get(w.tx, store.Ordered(oldest))
	if err != nil || !ok {
		return err
	}
	if err := store.AnswerOrder.Delete(w.tx, store.Ordered(oldest)); err != nil {
		return err
	}
	answer, ok, err := store.Answers.Get(w.tx, string(key))
	if err != nil || !ok || answer.Order != oldest {
		return err
	}
	return store.Answers.Delete(w.tx, string(key))
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
