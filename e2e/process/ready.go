package process

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const (
	probePeriod  = 50 * time.Millisecond
	probeTimeout = 2 * time.Second
	errorLines   = 20 // of the log, in an error
)

// awaitReady returns nil when the process is ready. Otherwise it ends the process.
func (p *Process) awaitReady(ctx context.Context) error {
	if p.spec.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.spec.StartTimeout, errNotReady)
	defer cancel()
	tick := time.NewTicker(probePeriod)
	defer tick.Stop()
	for {
		last := p.probe(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-p.done:
			return p.failure("ended before it was ready", p.err)
		case <-ctx.Done():
			killed := p.Kill()
			return p.abandoned(ctx, errors.Join(last, killed))
		}
	}
}

var errNotReady = errors.New("not ready in time")

// probe asks once. A process that has ended is not ready, whoever answers in its place.
func (p *Process) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if err := p.spec.Ready(ctx); err != nil {
		return err
	}
	select {
	case <-p.done:
		return errors.New("ended")
	default:
		return nil
	}
}

// abandoned is the error for a process that was given up: by the time-out, or by the caller's context.
func (p *Process) abandoned(ctx context.Context, last error) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errNotReady) {
		return fmt.Errorf("start %s: %w", p.spec.Name, cause)
	}
	return p.failure(fmt.Sprintf("was not ready within %s", p.spec.StartTimeout), last)
}

func (p *Process) failure(what string, cause error) error {
	message := p.spec.Name + " " + what
	if lines := p.LogTail(errorLines); len(lines) > 0 {
		message += fmt.Sprintf("; the end of %s:\n  %s\nlast error", p.spec.LogFile, strings.Join(lines, "\n  "))
	}
	return simcloud.Errorf(simcloud.Unavailable, "process/"+p.spec.Name, "%s: %w", message, cause)
}
