package engine

import (
	"context"
	"time"
)

// lingering bounds how long a command that makes something may go on after
// the end of its context.
const lingering = 10 * time.Second

// runOut is run for a command that makes something. The end of ctx does not
// break it off: the engine would go on alone, and what it makes would be unknown.
func (e *Engine) runOut(ctx context.Context, args ...string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	longer, end := linger(ctx, lingering)
	defer end()
	_, err := e.run(longer, nil, args...)
	return err
}

// linger returns a context that ends d after ctx does, for the same cause, or with end.
func linger(ctx context.Context, d time.Duration) (longer context.Context, end func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(context.Cause(ctx))
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel(nil)
	}
}
