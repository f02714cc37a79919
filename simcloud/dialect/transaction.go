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
