package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Start starts a container that was stopped or killed, with the disk that it had.
func (e *Engine) Start(ctx context.Context, container string) error {
	return e.do(ctx, "start", container)
}

// Stop asks the container's first process to end, and kills it when it has
// not after the engine's own time. The container and its disk stay.
func (e *Engine) Stop(ctx context.Context, container string) error {
	return e.end(ctx, container, "stop", container)
}

// Kill ends all processes of the container at once, also of a paused one. The
// container and its disk stay. One that does not run is no error.
func (e *Engine) Kill(ctx context.Context, container string) error {
	err := e.end(ctx, container, "kill", container)
	if errors.Is(err, simcloud.Unavailable) { // it may be that it does not run
		if c, inspectErr := e.Inspect(ctx, container); inspectErr == nil && c.PID == 0 {
			return nil
		}
	}
	return err
}

// Pause suspends all processes of the container, which notice nothing of it.
func (e *Engine) Pause(ctx context.Context, container string) error {
	return e.do(ctx, "pause", container)
}

// Unpause lets a paused container go on.
func (e *Engine) Unpause(ctx context.Context, container string) error {
	return e.do(ctx, "unpause", container)
}

// Remove removes containers in whatever state, and the volumes that are only
// theirs, and returns when they are gone. Those that are not there are no error.
// Nodes have to be given by name: their volumes with Podman are named after them.
func (e *Engine) Remove(ctx context.Context, containers ...string) error {
	var errs []error
	for _, container := range containers {
		errs = append(errs, e.remove(ctx, container))
	}
	return errors.Join(errs...)
}

func (e *Engine) remove(ctx context.Context, container string) error {
	err := e.end(ctx, container, "rm", "--force", "--volumes", container)
	switch {
	case errors.Is(err, simcloud.Locked):
		err = e.awaitGone(ctx, container)
	case errors.Is(err, simcloud.NotFound):
		err = nil
	}
	if err != nil {
		return err
	}
	return e.removeVolumes(ctx, container)
}

// gonePeriod is how often to look whether a container is gone that another process removes.
const gonePeriod = 100 * time.Millisecond

// goneTimeout is how long another process's removal of a container may take: an
// engine gives up after some ten seconds itself.
const goneTimeout = 30 * time.Second

func (e *Engine) awaitGone(ctx context.Context, container string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, goneTimeout, e.errorf(simcloud.Unavailable, "its removal by another process does not end: see \"%s ps --all\", and restart the engine if it stays", e.dialect.name))
	defer cancel()
	tick := time.NewTicker(gonePeriod)
	defer tick.Stop()
	for {
		_, err := e.Inspect(ctx, container)
		switch {
		case errors.Is(err, simcloud.NotFound):
			return nil
		case err != nil && ctx.Err() == nil:
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for the end of the container %s: %w", container, context.Cause(ctx))
		}
	}
}

// Wait returns the exit code of the container's first process when it has ended.
func (e *Engine) Wait(ctx context.Context, container string) (int, error) {
	out, err := e.run(ctx, nil, "wait", container)
	if err != nil {
		return 0, err
	}
	return e.number(out)
}

func (e *Engine) do(ctx context.Context, args ...string) error {
	_, err := e.run(ctx, nil, args...)
	return err
}
