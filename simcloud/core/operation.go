package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// keptOperations is how many finished operations are kept of each project.
// Callers without a project share one more such number. They are a log: the
// oldest leave it without an event.
const keptOperations = 10_000

var operationStates = []simcloud.OperationState{
	simcloud.OperationPending, simcloud.OperationRunning, simcloud.OperationDone,
	simcloud.OperationFailed, simcloud.OperationCancelled,
}

// ListOperations lists operations, the oldest first.
func (c *Cloud) ListOperations(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Operation], error) {
	return list(ctx, c, store.Operations, opts, ofProject, operationStates)
}

// GetOperation returns one operation.
func (c *Cloud) GetOperation(ctx context.Context, id simcloud.ID) (simcloud.Operation, error) {
	return get(ctx, c, store.Operations, id)
}

// WaitOperation returns the operation once it is finished. It shows the cloud
// as it is, however far other reads are behind. One that takes a number of
// reads is finished at once: who waits would have read it as often.
func (c *Cloud) WaitOperation(ctx context.Context, id simcloud.ID) (simcloud.Operation, error) {
	if err := c.alone(ctx, "WaitOperation"); err != nil {
		return simcloud.Operation{}, err
	}
	for {
		finished := c.waiters.add(id)
		op, err := c.presentOperation(ctx, id)
		if err != nil || !op.Finished.IsZero() {
			c.waiters.drop(id, finished)
			return op, forgotten(id, err)
		}
		select {
		case <-finished:
		case <-ctx.Done():
			c.waiters.drop(id, finished)
			return simcloud.Operation{}, ctx.Err()
		case <-c.closing:
			c.waiters.drop(id, finished)
			return simcloud.Operation{}, errClosing()
		}
	}
}

// presentOperation reads an operation as it is, which completes one that waits for reads.
func (c *Cloud) presentOperation(ctx context.Context, id simcloud.ID) (op simcloud.Operation, err error) {
	read := func(tx *store.Tx, caller simcloud.Caller) error {
		op, err = find(tx, store.Operations, caller.Project, id)
		return err
	}
	if err := c.view(ctx, read); err != nil || !running(op) {
		return op, err
	}
	completed, err := c.exhaust(op.ID)
	if err != nil || !completed {
		return op, err
	}
	return op, c.view(ctx, read)
}

// forgotten is the error for an operation that is not there. It does not tell
// one that is no longer kept from one that never was: it may have been another project's.
func forgotten(id simcloud.ID, err error) error {
	if simcloud.CodeOf(err) != simcloud.NotFound {
		return err
	}
	return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindOperation, id),
		"operation not found, or finished and no longer kept: read its resource")
}

// start makes the operation of the call on a resource. It is done already
// unless it is slow and operations take time.
func (t *txn) start(kind simcloud.Kind, id simcloud.ID, slow bool) (simcloud.Operation, error) {
	if err := t.fits(kind); err != nil {
		return simcloud.Operation{}, err
	}
	if err := t.noteFormer(kind, id); err != nil {
		return simcloud.Operation{}, err
	}
	op := simcloud.Operation{
		Meta:      simcloud.Meta{ID: t.operation, Name: t.req.verb, Project: t.caller.Project},
		Verb:      t.req.verb,
		Resource:  simcloud.Attachment{Kind: kind, ID: id},
		Caller:    simcloud.Caller{Token: t.caller.Token, UserAgent: t.caller.UserAgent},
		RequestID: t.tx.Cause().Request,
		Started:   t.now,
	}
	progression := t.progression(kind)
	if !slow || !takesTime(progression) {
		t.finish(&op)
		return op, nil
	}
	op.State = simcloud.OperationRunning
	if progression.Mode == simcloud.ProgressionTime {
		op.ReadyAt = t.now.Add(delay(progression, t.seed, op.ID))
	}
	return op, nil
}

// finish ends an operation as it should.
func (t *txn) finish(op *simcloud.Operation) {
	op.Progress = 100
	t.end(op, simcloud.OperationDone)
}

func (t *txn) end(op *simcloud.Operation, state simcloud.OperationState) {
	op.State, op.Finished = state, t.now
	id := op.ID
	t.tx.OnCommit(func() { t.cloud.waiters.notify(id) })
}

func running(op simcloud.Operation) bool { return op.State == simcloud.OperationRunning }

// record keeps the operation. If it runs, the effects come when it is ready.
func (t *txn) record(op *simcloud.Operation, effects ...store.Effect) error {
	if err := store.Operations.Insert(t.tx, t.now, op); err != nil {
		return err
	}
	if running(*op) {
		return t.schedule(*op, effects)
	}
	return t.forgetOperations(*op)
}

// done is start and record of an operation that takes no time.
func (t *txn) done(kind simcloud.Kind, id simcloud.ID) (simcloud.Operation, error) {
	op, err := t.start(kind, id, false)
	if err != nil {
		return op, err
	}
	return op, t.record(&op)
}

// unchanged is the operation of a call that finds everything as it wants it:
// no resource changes, so there is no event either.
func (t *txn) unchanged(kind simcloud.Kind, id simcloud.ID) (simcloud.Operation, error) {
	op, err := t.start(kind, id, false)
	if err != nil {
		return op, err
	}
	if err := store.Operations.InsertQuietly(t.tx, t.now, &op); err != nil {
		return op, err
	}
	return op, t.forgetOperations(op)
}

// forgetOperations notes a finished operation and releases the oldest of its
// project beyond the limit.
func (t *txn) forgetOperations(finished simcloud.Operation) error {
	project := store.Key(string(finished.Project))
	n := store.Finished.LastOrder(t.tx, project) + 1
	if err := store.Finished.Put(t.tx, project+store.Ordered(n), finished.ID); err != nil {
		return err
	}
	place, oldest, ok, err := store.Finished.First(t.tx, project)
	if err != nil || !ok || n-store.Order(place) < keptOperations {
		return err
	}
	if err := store.Finished.Delete(t.tx, place); err != nil {
		return err
	}
	return store.Operations.DeleteQuietly(t.tx, oldest)
}
