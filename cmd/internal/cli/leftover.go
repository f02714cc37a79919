package cli

import (
	"context"
	"errors"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/leftover"
)

// removeLeft removes what runs that were killed have left outside of their
// sandboxes: in every container engine that answers, in clusters of others, and
// the folders of tests.
func removeLeft(ctx context.Context, say func(string)) error {
	var errs []error
	for _, e := range engine.All(ctx) {
		errs = append(errs, removeLeftIn(ctx, e, say))
	}
	return errors.Join(append(errs, removeGuests(ctx, say), sweepRunFolders())...)
}

func removeLeftIn(ctx context.Context, e *engine.Engine, say func(string)) error {
	removed, err := leftover.Remove(ctx, e)
	for _, l := range removed {
		say("Removed from " + e.Name() + " what a run that was killed left: " + l.String() + ".")
	}
	if err != nil {
		return exit.Environment(err)
	}
	return nil
}
