package process

import (
	"context"
	"fmt"
)

// Run runs a process to its end, rather than until it is ready. It returns nil
// when the process exits with status 0; otherwise the error holds the last
// lines of the log. When ctx ends, the process is killed.
func Run(ctx context.Context, spec Spec) error {
	spec.Ready = nil
	p, err := Start(ctx, spec)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		if err := p.Kill(); err != nil {
			return err
		}
		return fmt.Errorf("%s: %w", p.spec.Name, context.Cause(ctx))
	}
	if p.status == nil {
		return nil
	}
	return p.failure("failed", p.status)
}
