package cli

import (
	"context"
	"sync"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/observe"
)

// showCluster shows the cluster in the cloud's console until ctx is done, or the function that it returns is
// called, which returns when nothing watches the cluster any more.
func (u *up) showCluster(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { observe.Follow(ctx, u.cluster.Kube, &u.console) })
	return func() {
		cancel()
		watching.Wait()
	}
}
