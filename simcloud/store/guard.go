package store

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

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
