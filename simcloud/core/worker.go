package core

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// schedule keeps what happens when a running operation is ready.
func (t *txn) schedule(op simcloud.Operation, effects []store.Effect) error {
	record := store.DueRecord{Operation: op.ID, Ready: op.ReadyAt}
	t.override(&record, op, effects)
	if p := t.progression(op.Resource.Kind); p.Mode == simcloud.ProgressionPolls {
		record.Polls = p.Polls
	}
	if err := store.Due.Put(t.tx, dueKey(record), record); err != nil {
		return err
	}
	if t.whole != nil {
		t.whole.started[op.ID] = store.DueRecord{Operation: op.ID, Ready: op.ReadyAt, Polls: record.Polls, Effects: effects}
	}
	t.cloud.noteDue(t.tx, t.tx.OnCommit)
	return nil
}

// dueKey orders operations by the time they are ready, then by their age.
func dueKey(record store.DueRecord) string {
	if record.Polls > 0 {
		return polledKey(record.Operation)
	}
	n, _ := numberOf(record.Operation)
	return store.Ordered(uint64(record.Ready.UnixNano())) + store.Ordered(n)
}

// noteDue remembers when the next operation is ready, once later calls it.
func (c *Cloud) noteDue(tx *store.Tx, later func(func())) {
	var next int64
	if _, first, ok, err := store.Due.First(tx, ""); err == nil && ok && first.Polls == 0 {
		next = first.Ready.UnixNano()
	}
	_, _, polled, err := store.Due.First(tx, polledPrefix())
	later(func() {
		c.nextDue.Store(next)
		c.polls.any.Store(polled || err != nil)
		c.wakeWorker()
	})
}

// renewed tells all who wait that other operations have taken the place of those there were.
func (t *txn) renewed() {
	t.cloud.noteDue(t.tx, t.tx.OnCommit)
	t.tx.OnCommit(t.cloud.polls.forgetAll)
	t.tx.OnCommit(t.cloud.waiters.notifyAll)
}

func (c *Cloud) wakeWorker() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// settle makes everything happen that is due, so that no caller reads a state
// whose time is over.
func (c *Cloud) settle() error {
	next := c.nextDue.Load()
	if next == 0 || c.clock.now().UnixNano() < next {
		return nil
	}
	return c.db.Update(func(tx *store.Tx) error {
		t := c.newTxn(tx, simcloud.Caller{})
		_, err := t.completeUntil(t.now)
		return err
	})
}

// retryAfter is how long the worker waits when the store did not take its work.
const retryAfter = time.Second

// complete is the worker: it settles whenever an operation gets ready.
func (c *Cloud) complete() {
	defer c.stopOnPanic()
	var pause time.Duration
	for {
		ready, stop := c.readyTimer(pause)
		pause = 0
		select {
		case <-ready:
			if err := c.settle(); err != nil {
				c.log.Error("could not complete operations", "error", err)
				pause = retryAfter
			}
		case <-c.wake:
		case <-c.db.Broken():
			stop()
			return
		case <-c.closing:
			stop()
			return
		}
		stop()
	}
}

// stopOnPanic, deferred, closes the cloud with an error when its worker cannot go
// on: nothing else completes what is due.
func (c *Cloud) stopOnPanic() {
	if p := recover(); p != nil {
		c.log.Error("the worker has panicked", "panic", p, "stack", string(debug.Stack()))
		_ = c.db.Break(fmt.Errorf("operations cannot be completed: %v", p)) // which is what all get to hear
	}
}

// readyTimer fires when the next operation is ready, but not before pause is over.
func (c *Cloud) readyTimer(pause time.Duration) (ready <-chan time.Time, stop func() bool) {
	next := c.nextDue.Load()
	wait, ok := c.clock.until(time.Unix(0, next))
	if next == 0 || !ok {
		return nil, func() bool { return true }
	}
	return c.clock.machine.NewTimer(max(wait, pause))
}

// completeUntil completes the operations that are ready at a time, in order,
// each at its own time, and returns them.
func (t *txn) completeUntil(until time.Time) (fired []simcloud.Operation, err error) {
	now := t.now
	for {
		key, due, ok, err := store.Due.First(t.tx, "")
		if err != nil || !ok || due.Polls > 0 || due.Ready.After(until) {
			if len(fired) > 0 {
				t.cloud.noteDue(t.tx, t.tx.OnCommit)
			}
			t.now = later(now, until)
			return fired, err
		}
		t.now = due.Ready
		op, err := t.completeOne(key, due)
		if err != nil {
			return fired, err
		}
		fired = append(fired, op)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// completeOne makes happen what is due, and ends its operation.
func (t *txn) completeOne(key string, due store.DueRecord) (simcloud.Operation, error) {
	if err := store.Due.Delete(t.tx, key); err != nil {
		return simcloud.Operation{}, err
	}
	op, err := store.Operations.Get(t.tx, due.Operation)
	if err != nil {
		return op, err
	}
	cause := t.tx.Cause() // of the update in which it happens to complete
	defer t.tx.SetCause(cause)
	t.tx.SetCause(store.Cause{Operation: op.ID, Request: op.RequestID})
	for _, effect := range due.Effects {
		if err := t.apply(effect); err != nil {
			return op, err
		}
	}
	if op.Error, op.Code = due.Failure, due.Code; op.Error != "" {
		t.end(&op, simcloud.OperationFailed)
	} else {
		t.finish(&op)
	}
	if err := store.Operations.Update(t.tx, t.now, &op); err != nil {
		return op, err
	}
	return op, t.forgetOperations(op)
}

// apply brings a resource to the state that its operation leads to.
func (t *txn) apply(effect store.Effect) error {
	switch effect.Kind {
	case simcloud.KindInstance:
		return t.applyInstance(effect.ID, simcloud.InstanceState(effect.State))
	case simcloud.KindVolume:
		return t.applyVolume(effect.ID, simcloud.VolumeState(effect.State))
	case simcloud.KindRouteTable:
		return t.applyRouteTable(effect)
	default:
		return t.applyLoadBalancer(effect)
	}
}
