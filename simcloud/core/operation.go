package core

import (
	"context"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// keptOperations is how many finished operations are kept. They are a log: the
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

// WaitOperation returns the operation once it is finished.
func (c *Cloud) WaitOperation(ctx context.Context, id simcloud.ID) (simcloud.Operation, error) {
	for {
		finished := c.waiters.add(id)
		op, err := c.GetOperation(ctx, id)
		if err != nil || !op.Finished.IsZero() {
			c.waiters.drop(id, finished)
			return op, c.forgotten(id, err)
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

// forgotten tells an operation that is no longer kept, which is finished, from
// one that there never was.
func (c *Cloud) forgotten(id simcloud.ID, err error) error {
	if simcloud.CodeOf(err) != simcloud.NotFound {
		return err
	}
	var known bool
	if err := c.db.View(func(tx *store.Tx) error {
		known = store.Operations.Issued(tx, id) && !store.Operations.Has(tx, id)
		return nil
	}); err != nil {
		return err
	}
	if !known {
		return err
	}
	return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindOperation, id),
		"the operation is finished and no longer kept: read its resource")
}

// start makes the operation of the call on a resource. It is done already
// unless it is slow and operations take time.
func (w *work) start(kind simcloud.Kind, id simcloud.ID, slow bool) (simcloud.Operation, error) {
	opID, err := store.Operations.NewID(w.tx)
	op := simcloud.Operation{
		Meta:     simcloud.Meta{ID: opID, Name: w.call.verb, Project: w.caller.Project},
		Verb:     w.call.verb,
		Resource: simcloud.Attachment{Kind: kind, ID: id},
		Started:  w.now,
	}
	if slow && takesTime(w.progression) {
		op.State = simcloud.OperationRunning
		op.ReadyAt = w.now.Add(delay(w.progression, w.seed, opID))
		return op, err
	}
	w.finish(&op)
	return op, err
}

func (w *work) finish(op *simcloud.Operation) {
	op.State, op.Progress, op.Finished = simcloud.OperationDone, 100, w.now
	id := op.ID
	w.tx.OnCommit(func() { w.waiters.notify(id) })
}

func running(op simcloud.Operation) bool { return op.State == simcloud.OperationRunning }

// record keeps the operation. If it runs, the effects come when it is ready.
func (w *work) record(op *simcloud.Operation, effects ...store.Effect) error {
	if err := store.Operations.Insert(w.tx, w.now, op); err != nil {
		return err
	}
	if running(*op) {
		return w.schedule(*op, effects)
	}
	return w.forgetOperations(op.ID)
}

// done is start and record of an operation that takes no time.
func (w *work) done(kind simcloud.Kind, id simcloud.ID) (simcloud.Operation, error) {
	op, err := w.start(kind, id, false)
	if err != nil {
		return op, err
	}
	return op, w.record(&op)
}

// unchanged is the operation of a call that finds everything as it wants it:
// no resource changes, so there is no event either.
func (w *work) unchanged(kind simcloud.Kind, id simcloud.ID) (simcloud.Operation, error) {
	op, err := w.start(kind, id, false)
	if err != nil {
		return op, err
	}
	if err := store.Operations.InsertQuietly(w.tx, w.now, &op); err != nil {
		return op, err
	}
	return op, w.forgetOperations(op.ID)
}

// forgetOperations notes a finished operation and lets go of the oldest beyond the limit.
func (w *work) forgetOperations(finished simcloud.ID) error {
	n, err := store.FinishedCounter.Next(w.tx)
	if err != nil {
		return err
	}
	if err := store.Finished.Put(w.tx, store.Ordered(n), finished); err != nil {
		return err
	}
	if n <= keptOperations {
		return nil
	}
	key := store.Ordered(n - keptOperations)
	oldest, ok, err := store.Finished.Get(w.tx, key)
	if err != nil || !ok {
		return err
	}
	if err := store.Finished.Delete(w.tx, key); err != nil {
		return err
	}
	return store.Operations.DeleteQuietly(w.tx, oldest)
}

// waiters are those who wait for an operation to finish.
type waiters struct {
	mu sync.Mutex
	of map[simcloud.ID]*waiting
}

type waiting struct {
	finished chan struct{}
	count    int
}

func (w *waiters) add(id simcloud.ID) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[simcloud.ID]*waiting{}
	}
	if w.of[id] == nil {
		w.of[id] = &waiting{finished: make(chan struct{})}
	}
	w.of[id].count++
	return w.of[id].finished
}

func (w *waiters) drop(id simcloud.ID, finished <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := w.of[id]; wait != nil && wait.finished == finished {
		if wait.count--; wait.count == 0 {
			delete(w.of, id)
		}
	}
}

func (w *waiters) notify(id simcloud.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := w.of[id]; wait != nil {
		close(wait.finished)
		delete(w.of, id)
	}
}

// notifyAll wakes everybody, after operations have gone unfinished.
func (w *waiters) notifyAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, wait := range w.of {
		close(wait.finished)
		delete(w.of, id)
	}
}
