//go:build !linux && !darwin

package boltfile

import (
	"os"
	"time"
)

// Lock does nothing: elsewhere bbolt's own lock has to do.
func Lock(*os.File, bool, time.Duration) error { return nil }

// Unlock does nothing: elsewhere closing the file has to do.
func Unlock(*os.File) error { return nil }
