//go:build !linux && !darwin

package store

import (
	"os"
	"time"
)

// lock does nothing: elsewhere bbolt's own lock has to do.
func lock(*os.File, bool, time.Duration) error { return nil }

// unlock does nothing: elsewhere closing the file has to do.
func unlock(*os.File) error { return nil }
