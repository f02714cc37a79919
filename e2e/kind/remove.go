package kind

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
)

// removal bounds the removal of a cluster.
const removal = 2 * time.Minute

// remove removes all containers of the cluster, at once, and then its network.
func (b *Backend) remove(ctx context.Context) error {
	containers, err := b.Engine.List(ctx, engine.KindClusterLabel+"="+b.Config.Name)
	if err != nil {
		return err
	}
	errs := make([]error, len(containers))
	var all sync.WaitGroup
	for i, c := range containers {
		all.Go(func() { errs[i] = b.Engine.Remove(ctx, c.Name) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil || b.network == nil {
		return err
	}
	return b.Engine.RemoveNetwork(ctx, b.network.name)
}
