package store

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	berrors "go.etcd.io/bbolt/errors"
)

// maxBatch bounds how many updates share one commit.
const maxBatch = 512

// Update runs fn in a transaction that is on disk when Update returns nil.
// Updates of several goroutines may share one commit; each runs once, sees the
// ones before it, and when it fails (or panics) leaves no trace while the others
// go on. fn must not call View or Update.
func (db *DB) Update(fn func(*Tx) error) error { return db.submit(&call{fn: fn}) }

// UpdateAlone is Update in a commit of its own: the next update begins after
// the functions given to OnCommit have run.
func (db *DB) UpdateAlone(fn func(*Tx) error) error { return db.submit(&call{fn: fn, alone: true}) }

// call is an update that waits for its commit.
type call struct {
	fn    func(*Tx) error
	alone bool
	err   error
	panic any
	done  chan struct{}
}

func (db *DB) submit(c *call) error {
	if db.opts.ReadOnly {
		return db.failure(berrors.ErrDatabaseReadOnly)
	}
	c.done = make(chan struct{})
	if !db.queue.push(c) {
		return db.failure(berrors.ErrDatabaseNotOpen)
	}
	<-c.done
	if c.panic != nil {
		panic(c.panic)
	}
	return db.failure(c.err)
}

// commitLoop is the only writer of the file.
func (db *DB) commitLoop() {
	debug.SetPanicOnFault(true)
	for {
		first := db.queue.wait()
		if first == nil {
			return
		}
		batch, began := []*call{first}, time.Now()
		err := db.tryCommit(&batch)
		db.observe(len(batch), began, err)
		for _, c := range batch {
			if err != nil && c.panic == nil {
				c.err = err
			}
			close(c.done)
		}
	}
}

// tryCommit is commit, which ends the use of the file when that is damaged.
func (db *DB) tryCommit(batch *[]*call) (err error) {
	if err := db.Err(); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil { // bbolt's, or of what is undone: those of calls are theirs
			db.stuck.Store(true)
			err = db.Break(fmt.Errorf("%w: %v", ErrDamaged, p))
		}
	}()
	return db.commit(batch)
}

// commit runs the calls of the batch, and those that come in meanwhile, and
// commits what they wrote.
func (db *DB) commit(batch *[]*call) error {
	btx, err := db.bolt.Begin(true)
	if err != nil {
		return err
	}
	tx := db.tx(btx)
	tx.noUndo = (*batch)[0].alone
	tx.rewritten = db.publisher != nil && !db.publisher.Watched()
	written, err := db.runBatch(tx, batch)
	if err != nil || !written {
		return errors.Join(err, btx.Rollback())
	}
	if err := tx.flushUsage(); err != nil {
		return errors.Join(err, btx.Rollback())
	}
	forget, publish := tx.record(), tx.publishing()
	err = db.named(db.toDisk(btx))
	db.noteDisk(err)
	if err != nil {
		forget()
		return unwritable(err)
	}
	publish()
	for _, fn := range tx.after {
		fn()
	}
	db.changed.send()
	return nil
}

// runBatch reports whether there is anything to commit.
func (db *DB) runBatch(tx *Tx, batch *[]*call) (written bool, err error) {
	for i := 0; ; i++ {
		if i == len(*batch) {
			next := db.more(*batch)
			if next == nil {
				return written, nil
			}
			*batch = append(*batch, next)
		}
		ok, err := tx.run((*batch)[i])
		if err != nil {
			return false, err
		}
		written = written || ok
	}
}

// more returns the next call that can join the batch. Before it says that
// there is none it lets the callers of the commit before come back.
func (db *DB) more(batch []*call) *call {
	if batch[0].alone || len(batch) >= maxBatch {
		return nil
	}
	if c := db.queue.poll(); c != nil {
		return c
	}
	runtime.Gosched()
	return db.queue.poll()
}

// run runs one call and reports whether its writes stand. An error means that
// the transaction is spoilt.
func (tx *Tx) run(c *call) (ok bool, err error) {
	start := tx.mark()
	tx.cause = Cause{}
	if err := tx.call(c); err != nil {
		return false, tx.db.Break(err)
	}
	if c.err == nil && c.panic == nil {
		return true, nil
	}
	if tx.noUndo {
		return false, nil
	}
	if err := tx.rollback(start); err != nil {
		return false, fmt.Errorf("take back a failed update: %w", err)
	}
	return false, nil
}

// call calls the function, and returns what damage it has met.
func (tx *Tx) call(c *call) (damage error) {
	defer func() {
		switch p := recover(); {
		case p != nil && ofFile(p):
			damage = fmt.Errorf("%w: %v", ErrDamaged, p)
		case p != nil:
			c.panic = p
		default:
			damage = tx.damage
		}
	}()
	c.err = c.fn(tx)
	return nil
}

// Commit is what the file took in one commit.
type Commit struct {
	// Updates is how many updates shared it.
	Updates int
	// Took is how long they and the commit took, until they were on disk.
	Took time.Duration
	// Failed is whether nothing of it was kept.
	Failed bool
}

// observe tells of a commit that began then.
func (db *DB) observe(updates int, began time.Time, err error) {
	if db.opts.Observe != nil {
		db.opts.Observe(Commit{Updates: updates, Took: time.Since(began), Failed: err != nil})
	}
}

// queue holds the calls that wait for the committer.
type queue struct {
	mu     sync.Mutex
	filled *sync.Cond
	calls  []*call
	closed bool
}

func (q *queue) init() { q.filled = sync.NewCond(&q.mu) }

// push reports whether the queue still takes calls.
func (q *queue) push(c *call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.calls = append(q.calls, c)
	q.filled.Signal()
	return true
}

// wait returns the next call, or nil when the queue is closed and empty.
func (q *queue) wait() *call {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.calls) == 0 && !q.closed {
		q.filled.Wait()
	}
	if len(q.calls) == 0 {
		return nil
	}
	return q.take()
}

// poll returns the next call, unless there is none or it has to be alone.
func (q *queue) poll() *call {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.calls) == 0 || q.calls[0].alone {
		return nil
	}
	return q.take()
}

func (q *queue) take() *call {
	c := q.calls[0]
	q.calls[0] = nil
	q.calls = q.calls[1:]
	return c
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.filled.Broadcast()
}
