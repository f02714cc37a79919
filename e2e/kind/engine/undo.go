package engine

import (
	"context"
	"errors"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// undoTimeout bounds the removal of what a failure left.
const undoTimeout = 30 * time.Second

// undo removes the container that a failed run left, unless the name is that
// of another's, and returns why the run failed.
func (e *Engine) undo(ctx context.Context, spec RunSpec, err error) error {
	if errors.Is(err, simcloud.AlreadyExists) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	return errors.Join(err, e.Remove(ctx, spec.Name))
}
