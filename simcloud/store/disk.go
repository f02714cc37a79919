package store

import (
	"errors"
	"strings"
	"syscall"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// toDisk commits a transaction. One that fails is over: bbolt leaves some open,
// which would keep the next one waiting for ever.
func toDisk(btx *bolt.Tx) error {
	err := btx.Commit()
	if err == nil {
		return nil
	}
	if undone := btx.Rollback(); !errors.Is(undone, berrors.ErrTxClosed) {
		err = errors.Join(err, undone)
	}
	return err
}

// unwritable is the error of updates that did not get to the disk, and says
// what helps. Nothing of them is acknowledged; the next ones try again. Only
// its cause, which no client sees, names the file.
func unwritable(err error) error {
	return simcloud.Errorf(simcloud.Unavailable, "", "could not write the data file (%s): %w", diskAdvice(err), err)
}

// misnamed is an error of a file that has another name by now.
type misnamed struct {
	error

	then, now string
}

func (m misnamed) Error() string { return strings.ReplaceAll(m.error.Error(), m.then, m.now) }
func (m misnamed) Unwrap() error { return m.error }

// named is an error with the name that the data file has: bbolt and the operating system tell the one by which it was opened.
func (db *DB) named(err error) error {
	if err == nil {
		return nil
	}
	return misnamed{err, db.path + newSuffix, db.path}
}

// diskAdvice says what helps when a disk does not take what is written.
func diskAdvice(err error) string {
	switch {
	case isErrno(err, syscall.ENOSPC):
		return "its disk is full, make room there"
	case isErrno(err, syscall.EDQUOT), isErrno(err, syscall.EFBIG):
		return "it may not grow any more, raise the limit"
	case isErrno(err, syscall.EROFS):
		return "its disk is read-only, make it writable"
	default:
		return "check its disk"
	}
}

// isErrno is errors.Is, also for the errors that bbolt does not wrap: those of
// a file that does not grow.
func isErrno(err error, errno syscall.Errno) bool {
	return errors.Is(err, errno) || strings.Contains(err.Error(), errno.Error())
}

// noteDisk logs when the disk begins to refuse what is written, and when it
// takes it again, and not what is between. The committer alone calls it.
func (db *DB) noteDisk(err error) {
	if (err != nil) == db.refused {
		return
	}
	db.refused = err != nil
	if err != nil {
		db.opts.Log.Error("the data file cannot be written, and all that changes the cloud is unavailable",
			"file", db.path, "advice", diskAdvice(err), "error", err)
		return
	}
	db.opts.Log.Error("the data file can be written again", "file", db.path)
}
