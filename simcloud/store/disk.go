package store

import (
	"errors"
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
// what helps. Nothing of them is acknowledged; the next ones try again.
func unwritable(path string, err error) error {
	reason := "check its disk"
	switch {
	case errors.Is(err, syscall.ENOSPC):
		reason = "its disk is full, make room there"
	case errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		reason = "it may not grow any more, raise the limit"
	case errors.Is(err, syscall.EROFS):
		reason = "its disk is read-only, make it writable"
	}
	return simcloud.Errorf(simcloud.Unavailable, "", "could not write the data file %s (%s): %w", path, reason, err)
}
