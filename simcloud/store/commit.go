package store

import (
	"errors"
	"fmt"
	"runtime"
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
	for {
		first := db.queue.wait()
		if first == nil {
			return
		}
		batch, began := []*call{first}, time.Now()
		err := db.commit(&batch)
		db.observe(len(batch), began, err)
		for _, c := range batch {
			if err != nil && c.panic == nil {
				c.err = err
			}
			close(c.done)
		}
	}
}

// commit runs the calls of the batch, and those that come in meanwhile, and
// commits what they wrote.
func (db *DB) commit(batch *[]*call) error {
	btx, err := db.bolt.Begin(true)
	if err != nil {
		return err
	}
	tx := &Tx{bolt: btx, db: db, noUndo: (*batch)[0].alone}
	written, err := db.runBatch(tx, batch)
	if err != nil || !written {
		return errors.Join(err, btx.Rollback())
	}
	if err := tx.flushUsage(); err != nil {
		return errors.Join(err, btx.Rollback())
	}
	forget := tx.record()
	if err := db.toDisk(btx); err != nil {
		forget()
		return unwritable(db.path, err)
	}
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
	func() {
		defer func() { c.panic = recover() }()
		c.err = c.fn(tx)
	}()
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
