// Package wait polls until a condition holds.
package wait

import (
	"context"
	"time"
)

// Until calls check at once and then after each interval, until it returns
// true or an error, or ctx ends. The error is that of check, or the cause of
// the end of ctx.
func Until(ctx context.Context, interval time.Duration, check func(context.Context) (bool, error)) error {
	for {
		if done, err := check(ctx); done || err != nil {
			return err
		}
		timer := time.NewTimer(interval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}
