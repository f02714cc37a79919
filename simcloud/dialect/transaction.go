package dialect

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Atomic runs fn as one change of the cloud, where the cloud can do that.
func Atomic(ctx context.Context, cloud simcloud.API, fn func(ctx context.Context) error) error {
	if t, ok := cloud.(simcloud.Transactor); ok {
		return t.Atomic(ctx, fn)
	}
	return fn(ctx)
}

// View lets all reads of fn see one state of the cloud, where the cloud can do that.
func View(ctx context.Context, cloud simcloud.API, fn func(ctx context.Context) error) error {
	if t, ok := cloud.(simcloud.Transactor); ok {
		return t.View(ctx, fn)
	}
	return fn(ctx)
}

// Deletions returns the events of what was deleted within a time, as [simcloud.Transactor] does; nothing where the
// cloud cannot tell.
func Deletions(ctx context.Context, cloud simcloud.API, kind simcloud.Kind, within simcloud.Duration, ids ...simcloud.ID) ([]simcloud.Event, error) {
	if t, ok := cloud.(simcloud.Transactor); ok {
		return t.Deletions(ctx, kind, within, ids...)
	}
	return nil, nil
}
