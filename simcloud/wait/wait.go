// Package wait polls until a condition holds, and pauses.
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
		if err := Pause(ctx, interval); err != nil {
			return context.Cause(ctx)
		}
	}
}

// Pause returns after d, or with the error of ctx when that ends before.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
