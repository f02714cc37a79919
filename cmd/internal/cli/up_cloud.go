package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/cloud"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// errCloudEnded ends a sandbox whose cloud cannot serve any more.
var errCloudEnded = simcloud.Errorf(simcloud.Unavailable, "", "the sandbox ends because its cloud has ended")

// opened warns about the address of the cloud, and ends the sandbox when the cloud ends by itself.
func (u *up) opened(ctx context.Context, c *sim.Cloud) {
	if c.SendsTokensInClear() {
		u.progress.line("warning: " + cloud.TokensInClear + ": listen at 127.0.0.1, or let a firewall keep other machines out")
	}
	go u.endWith(ctx, c)
}

// endWith waits until the cloud has ended by itself, or its data file is
// damaged, and ends the sandbox then. It returns when ctx is done.
func (u *up) endWith(ctx context.Context, cloud *sim.Cloud) {
	select {
	case <-cloud.Done():
		if err := cloud.Err(); err != nil { // else it was closed
			u.end(fmt.Errorf("%w: %w", errCloudEnded, err))
		}
	case <-cloud.Broken(): // which Close reports
		u.end(errCloudEnded)
	case <-ctx.Done():
	}
}

// causedByCloud puts the end of the cloud, if that ended ctx, before the error
// that it led to. That is only quoted, because it may be a context.Canceled,
// which stands for an interruption by the user.
func causedByCloud(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case !errors.Is(cause, errCloudEnded):
		return err
	case err == nil:
		return cause
	}
	return fmt.Errorf("%w\n%s", cause, err.Error())
}
