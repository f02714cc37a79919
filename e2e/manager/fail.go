package manager

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// healthPeriod is how often a CCM that is to fail is asked whether it is healthy.
const healthPeriod = 50 * time.Millisecond

// failLogLines is how much of its log StartFailing returns.
const failLogLines = 200

// StartFailing starts the CCM and returns when it has ended by itself with a
// status other than 0, with the end of what it said. That is no Exit, unless it
// panicked. It answers Conflict when the CCM runs already, gets healthy, ends well or does not end.
func (c *CCM) StartFailing(ctx context.Context) (log string, err error) {
	c.verbs.take()
	defer c.verbs.give()
	if c.subject.None() || c.Running() {
		return "", simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager cannot be started: it is %s", c.what())
	}
	settings := c.configured()
	if err := c.files.write(ctx, c.deps, c.api, settings); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, c.deps.Timings.Start)
	defer cancel()
	ctx, done := c.starting(ctx)
	defer done()
	log, err = c.launcher.launchFailing(ctx, settings)
	c.mu.Lock()
	c.recordExit(control.Exit{}) // for a panic
	c.mu.Unlock()
	return log, err
}

func (c *CCM) what() string {
	if c.subject.None() {
		return "none"
	}
	return "running"
}

// failed returns nil when the process has ended by itself, with a status other than 0.
func failed(ctx context.Context, p *process.Process, healthy func(context.Context) error) error {
	tick := time.NewTicker(healthPeriod)
	defer tick.Stop()
	for {
		select {
		case <-p.Done():
			if status := (*exec.ExitError)(nil); !errors.As(p.Err(), &status) {
				return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager ended with status 0: it should fail")
			}
			return nil
		case <-tick.C:
			if healthy != nil && healthy(ctx) == nil {
				return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager is healthy: it should fail")
			}
		case <-ctx.Done():
			return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager has not ended: it should fail: %w", context.Cause(ctx))
		}
	}
}
