//go:build linux || darwin

package store

import (
	"os"
	"syscall"
)

// unlock lets go of the lock of a file that bbolt has mapped and will not
// unmap: until then closing the file alone does not.
func unlock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
