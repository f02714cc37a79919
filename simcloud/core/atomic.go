package core

import (
	"context"
	"maps"
	"sync/atomic"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var _ simcloud.Transactor = (*Cloud)(nil)

// whole is what the calls of one Atomic, or of one View, are parts of.
type whole struct {
	tx  *store.Tx
	txn *txn // nil in a View, which only reads
	// started has what the operations do that run since this Atomic.
	started map[simcloud.ID]store.DueRecord
	// shown are the operations that reads of this View have shown.
	shown []simcloud.ID
	// reads are those of a View that is to be remembered; nil for all others.
	reads *reads
	ended atomic.Bool
}

// wholeKey is the key of a context for the whole that its calls of a cloud are parts of.
type wholeKey struct{ cloud *Cloud }

// wholeOf returns what the calls with a context are parts of; nil for calls of their own.
func (c *Cloud) wholeOf(ctx context.Context) (*whole, error) {
	w, _ := ctx.Value(wholeKey{c}).(*whole)
	if w != nil && w.ended.Load() {
		return nil, simcloud.Errorf(simcloud.Internal, "", "the context is that of a transaction that has ended")
	}
	return w, nil
}

// run calls fn with a context whose calls are parts of w, as long as it runs.
func (w *whole) run(ctx context.Context, c *Cloud, fn func(context.Context) error) error {
	defer w.ended.Store(true)
	return fn(context.WithValue(ctx, wholeKey{c}, w))
}

// Atomic runs fn in one transaction.
func (c *Cloud) Atomic(ctx context.Context, fn func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w, err := c.wholeOf(ctx)
	switch {
	case err != nil:
		return err
	case w != nil && w.txn == nil:
		return onlyReads("Atomic")
	case w != nil:
		return w.attempt(func() error { return fn(ctx) })
	}
	return c.db.Update(c.inTxn(ctx, request{verb: "Atomic"}, func(t *txn) error {
		return (&whole{tx: t.tx, txn: t, started: map[simcloud.ID]store.DueRecord{}}).run(ctx, c, fn)
	}))
}

// View runs fn on one state of the cloud.
func (c *Cloud) View(ctx context.Context, fn func(context.Context) error) error {
	w, err := c.wholeOf(ctx)
	switch {
	case err != nil:
		return err
	case w != nil:
		return fn(ctx)
	}
	w = &whole{}
	if err := c.view(ctx, func(tx *store.Tx, _ simcloud.Caller) error {
		w.tx = tx
		return w.run(ctx, c, fn)
	}); err != nil {
		return err
	}
	_, err = c.countRead(unique(w.shown))
	return err
}

// update runs a mutation as a part.
func (w *whole) update(ctx context.Context, req request, fn func(*txn) error) error {
	if w.txn == nil {
		return onlyReads(req.verb)
	}
	part := *w.txn
	part.whole = w
	part.req, part.caller, part.outcome = req, simcloud.CallerFrom(ctx), simcloud.OverrideOf(ctx).Outcome
	return w.attempt(func() error { return fn(&part) })
}

// attempt takes back what fn has done when it fails.
func (w *whole) attempt(fn func() error) error {
	before := maps.Clone(w.started)
	err := w.tx.Attempt(fn)
	if err != nil {
		w.started = before
	}
	return err
}

func onlyReads(verb string) error {
	return simcloud.Errorf(simcloud.Unimplemented, "", "%s cannot be part of a View: it only reads", verb)
}

// alone answers Unimplemented for what cannot be part of a transaction.
func (c *Cloud) alone(ctx context.Context, verb string) error {
	w, err := c.wholeOf(ctx)
	if err == nil && w != nil {
		err = simcloud.Errorf(simcloud.Unimplemented, "", "%s cannot be part of a transaction: call it outside of Atomic and View", verb)
	}
	return err
}

// owns reports whether this Atomic has started the operation that runs on a resource.
func (t *txn) owns(meta *simcloud.Meta) bool {
	if t.whole == nil || meta.Operation == "" {
		return false
	}
	_, own := t.whole.started[meta.Operation]
	return own
}

// hasten completes an operation of this Atomic, as it should end: another one takes the time in its place.
func (t *txn) hasten(id simcloud.ID) error {
	due := t.whole.started[id]
	delete(t.whole.started, id)
	if _, err := t.completeOne(dueKey(due), due); err != nil {
		return err
	}
	t.cloud.noteDue(t.tx, t.tx.OnCommit)
	return nil
}
