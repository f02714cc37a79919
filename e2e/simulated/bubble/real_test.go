package bubble_test

import "syscall"

// real is the time of the machine, in nanoseconds.
func real() int64 {
	var now syscall.Timeval
	_ = syscall.Gettimeofday(&now)
	return now.Nano()
}
