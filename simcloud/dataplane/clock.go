package dataplane

import "time"

// Clock is the machine's clock, or a test's.
type Clock interface {
	Now() time.Time
	// NewTimer returns a channel that gets the time after d, and what stops it.
	NewTimer(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now() }

func (machineClock) NewTimer(d time.Duration) (<-chan time.Time, func() bool) {
	timer := time.NewTimer(d)
	return timer.C, timer.Stop
}

// seconds is a time that a cloud gives as a number. It takes any that is not
// negative; what is too long to count is a century, not a moment in the past.
func seconds(n int) time.Duration {
	const century = 100 * 365 * 24 * 60 * 60
	return time.Duration(min(int64(n), century)) * time.Second
}
