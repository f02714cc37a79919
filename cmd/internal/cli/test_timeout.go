package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// limited is ctx with the run's own limit of time, if it has one.
func (o testOptions) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	over := &exit.Error{Code: exit.CodeFailed, Err: fmt.Errorf("the run's time of %s is over (--timeout)", o.timeout)}
	return context.WithTimeoutCause(ctx, o.timeout, over)
}

// endsEarly says why a run ends before its time.
func endsEarly(ctx context.Context) string {
	var over *exit.Error
	if errors.As(context.Cause(ctx), &over) {
		return over.Error()
	}
	return "interrupted"
}
