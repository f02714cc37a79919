package client

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// retryPolicy says how often and when a call is repeated.
type retryPolicy struct {
	retries int
	backoff time.Duration
	jitter  func() float64
	retried func(operation string, err error)
}

// maxWait is the longest wait between two attempts. A cloud that asks for more
// gets no retry: the caller is told and decides.
const maxWait = 10 * time.Second

// wait returns how long to wait before the attempt after this one; false when there is none.
func (p retryPolicy) wait(attempt int, err error) (time.Duration, bool) {
	asked := simcloud.RetryAfter(err)
	if attempt >= p.retries || asked > maxWait {
		return 0, false
	}
	wait := min(p.backoff<<min(attempt, 16), maxWait)
	return max(asked, wait/2) + time.Duration(p.jitter()*float64(wait)/2), true
}

// retryable reports whether another attempt may end better.
func retryable(err error) bool {
	switch simcloud.CodeOf(err) {
	case simcloud.RateLimited, simcloud.Unavailable, simcloud.Timeout:
		return true
	default:
		return false
	}
}
