//go:build linux || darwin

package boltfile

import (
	"errors"
	"os"
	"syscall"
	"time"

	berrors "go.etcd.io/bbolt/errors"
)

// lockPeriod is how often a lock is tried that another process has.
const lockPeriod = 20 * time.Millisecond

// Lock takes the lock of a file, as bbolt does, which then finds it taken by
// the same open file.
func Lock(file *os.File, exclusive bool, patience time.Duration) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for until := time.Now().Add(patience); ; time.Sleep(lockPeriod) {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		switch {
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return err
		case time.Now().After(until):
			return berrors.ErrTimeout
		}
	}
}

// Unlock releases the lock of a file that bbolt has mapped and will not
// unmap: until then closing the file alone does not.
func Unlock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
