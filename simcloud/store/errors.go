package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// What can be wrong with a file. The errors of Open and Update that wrap them
// have the code Unavailable and say what to do; the file is left as it was.
var (
	ErrLocked      = errors.New("it is in use by another process")
	ErrDamaged     = errors.New("it is damaged")
	ErrNewer       = errors.New("it was written by a newer version")
	ErrReadOnly    = errors.New("it cannot be written")
	ErrNoDirectory = errors.New("its directory does not exist")
)

var (
	errsClosed   = []error{berrors.ErrDatabaseNotOpen}
	errsReadOnly = []error{berrors.ErrDatabaseReadOnly, berrors.ErrTxNotWritable}
)

func isBolt(err error, targets []error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// unusable says why the file at path cannot be used, and what helps.
func unusable(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout), errors.Is(err, ErrLocked):
		return fileError(path, "stop the other process or choose another file", ErrLocked)
	case errors.Is(err, ErrNewer):
		return fileError(path, "use that version or choose another file", err)
	case errors.Is(err, fs.ErrNotExist):
		return fileError(path, "create "+filepath.Dir(path)+" first", ErrNoDirectory)
	case errors.Is(err, syscall.EROFS):
		return fileError(path, "make its disk writable or choose another file", ErrReadOnly)
	case errors.Is(err, fs.ErrPermission):
		return fileError(path, "change its permissions or choose another file", ErrReadOnly)
	case errors.As(err, new(syscall.Errno)):
		return fileError(path, "choose another file", err)
	default: // what the machine has no word against is the file's own fault
		return fileError(path, "restore a copy or choose another file", damaged(err))
	}
}

func damaged(err error) error {
	if errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

func fileError(path, advice string, cause error) error {
	return simcloud.Errorf(simcloud.Unavailable, "", "cannot use the data file %s (%s): %w", path, advice, cause)
}
