package store

import (
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// breakage is why a file is not used any more.
type breakage struct {
	once   sync.Once
	broken chan struct{}
	err    error // valid once broken is closed
}

// breakOn, deferred, ends the use of the file when what panics is the file, and
// lets other panics pass.
func (db *DB) breakOn(err *error) {
	switch p := recover(); {
	case p == nil:
	case ofFile(p):
		db.stuck.Store(true)
		*err = db.Break(fmt.Errorf("%w: %v", ErrDamaged, p))
	default:
		panic(p)
	}
}

// Broken returns a channel that is closed when the file turns out to be
// damaged while it is in use. From then on everything fails, and nothing is
// written: all that is left to do is to close it. See [DB.Err].
func (db *DB) Broken() <-chan struct{} { return db.breakage.broken }

// Err returns why the file is not used any more; nil as long as it is.
func (db *DB) Err() error {
	select {
	case <-db.breakage.broken:
		return db.breakage.err
	default:
		return nil
	}
}

// Break ends the use of the file because of err, and returns the error that
// everything fails with from now on. It is for what must not go on writing.
func (db *DB) Break(err error) error {
	db.breakage.once.Do(func() {
		db.breakage.err = simcloud.Errorf(simcloud.Unavailable, "", "the cloud cannot go on with its data file: %w",
			fmt.Errorf("%s: %w (look at it with \"simcloud check\" and restore a copy)", db.path, err))
		close(db.breakage.broken)
		db.opts.Log.Error("the data file is not used any more: look at it with \"simcloud check\" and restore a copy",
			slog.String("file", db.path), slog.Any("error", err))
	})
	return db.Err()
}

// guarded runs fn, and makes an error of what a damaged file makes bbolt panic
// with, and of a fault: the file is mapped, and may have been cut.
func guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return fn()
}

// ofFile reports whether the panic that a deferred function has recovered is of
// the file: a fault in memory that is mapped, or one that began in bbolt.
func ofFile(p any) bool {
	if _, fault := p.(interface{ Addr() uintptr }); fault {
		return true
	}
	var callers [16]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])]) // behind the deferred function
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") {
			return strings.HasPrefix(frame.Function, "go.etcd.io/bbolt")
		}
		if !more {
			return false
		}
	}
}
