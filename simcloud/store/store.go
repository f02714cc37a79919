// Package store keeps a cloud in one file. It knows types, keys and indices,
// and no rule of the cloud: package core decides, store remembers.
//
// Every change of a resource goes through a [Bucket], which writes the value,
// its index entries and its event in one transaction. Nothing outside of this
// package knows what the file is made of.
package store

import (
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store/boltfile"
)

// DefaultEventLimit is how many events a file keeps.
const DefaultEventLimit = 65536

// DefaultEventBytes is how many bytes of events a file keeps.
const DefaultEventBytes = 64 << 20

// Options say how a file is used.
type Options struct {
	// ReadOnly opens the file beside other readers; Update fails.
	ReadOnly bool
	// NoSync acknowledges writes that are not on disk yet. It is for files
	// that will not be opened again.
	NoSync bool
	// EventLimit is how many events are kept; 0 means DefaultEventLimit.
	EventLimit int
	// EventBytes is how many bytes they may have together; 0 means
	// DefaultEventBytes. The newest event is kept whatever its size.
	EventBytes int
	// LockTimeout is how long to wait for another process to close the file; 0 means 250 ms.
	LockTimeout time.Duration
	// Observe, unless nil, is called for each commit before its updates return.
	Observe func(Commit)
	// Log gets what the operator has to know of the file; nil discards it.
	Log *slog.Logger
	// unverified opens a file whose values and indices may be wrong. See OpenToCheck.
	unverified bool
}

func (o Options) withDefaults() Options {
	if o.EventLimit <= 0 {
		o.EventLimit = DefaultEventLimit
	}
	if o.EventBytes <= 0 {
		o.EventBytes = DefaultEventBytes
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = 250 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// DB is an open file. Its methods may be called by many goroutines.
type DB struct {
	bolt *bolt.DB
	file *os.File
	path string
	opts Options
	// unsealed is whether the file is of a version without sums.
	unsealed bool
	breakage breakage
	stuck    atomic.Bool // whether bbolt has panicked, after which it may keep its locks and never close

	queue    queue
	toDisk   func(*bolt.Tx) error // toDisk, or what a test has in its place
	writer   sync.WaitGroup       // the committer
	recorder Recorder             // nil: nothing is recorded
	changed  broadcast
	closing  sync.Once
	refused  bool // whether the disk did not take the last commit

	publisher Publisher // nil: no one watches
}

// View runs fn on one consistent state of the file. fn must not call View or
// Update. It fails when fn has met a value that is damaged, whatever fn returns.
func (db *DB) View(fn func(*Tx) error) (err error) {
	if err := db.Err(); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer db.breakOn(&err)
	return db.failure(db.bolt.View(func(btx *bolt.Tx) error {
		tx := db.tx(btx)
		if err := fn(tx); tx.damage == nil {
			return err
		}
		return db.Break(tx.damage)
	}))
}

func (db *DB) tx(btx *bolt.Tx) *Tx { return &Tx{bolt: btx, db: db, unsealed: db.unsealed} }

// Path returns where the file is.
func (db *DB) Path() string { return db.path }

// Changed returns a channel that is closed by the next commit.
func (db *DB) Changed() <-chan struct{} { return db.changed.next() }

// Close waits for the updates under way and closes the file. Updates that
// come later fail. Closing twice is closing once.
func (db *DB) Close() error {
	var err error
	db.closing.Do(func() {
		db.queue.close()
		db.writer.Wait()
		err = db.closeFile()
		db.changed.send()
	})
	return err
}

func (db *DB) closeFile() error {
	if db.stuck.Load() {
		return errors.Join(boltfile.Unlock(db.file), db.file.Close())
	}
	return db.bolt.Close()
}

// Tx is a transaction. It is valid, as is everything that comes out of it
// undecoded, until the function that got it returns.
type Tx struct {
	bolt   *bolt.Tx
	db     *DB
	undo   []undo
	usage  usage
	noUndo bool
	after  []func()
	// changes are those to tell of, and now and since what they have in common.
	changes []Change
	now     time.Time
	since   uint64
	renewed bool   // whether all is new, so that earlier events are not asked for
	oldest  uint64 // the revision of the oldest event that is kept; 0: not known yet
	cause   Cause  // of the events that are appended
	stamp   stamp  // of the last of them
	// unsealed is whether values have no sums, and damage the first that does not agree with its own.
	unsealed bool
	damage   error
	// events are those to publish, unless no one waits for them, so many are
	// new, or former ones rewritten, that the publisher is to read the store.
	events    []simcloud.EncodedEvent
	rewritten bool
}

// OnCommit has fn called once the transaction is on disk, before Update
// returns. fn must not call View or Update.
func (tx *Tx) OnCommit(fn func()) { tx.after = append(tx.after, fn) }

// broadcast tells any number of goroutines that something has happened.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

func (b *broadcast) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch != nil {
		close(b.ch)
		b.ch = nil
	}
}

// failure gives the errors of the file itself a code; those of the functions pass.
func (db *DB) failure(err error) error {
	switch {
	case err == nil:
		return nil
	case isBolt(err, errsClosed):
		return simcloud.Errorf(simcloud.Unavailable, "", "the data file is closed")
	case isBolt(err, errsReadOnly):
		return simcloud.Errorf(simcloud.Unavailable, "", "the data file cannot be changed: %w", ErrReadOnly)
	default:
		return err
	}
}
