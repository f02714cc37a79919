package e2e

import (
	"context"
	"fmt"
	"time"
)

// cloudPatience is how long a cloud that restarts waits for calls under way.
const cloudPatience = 500 * time.Millisecond

// RestartCloud closes the cloud and opens it again from its file, at the same
// address, as if its process had restarted: calls and streams break, fault
// rules are gone. Revisions and the numbers of calls go on rising, so streams
// can be resumed where they broke. When it fails, the cluster has no cloud any more.
func (c *Cluster) RestartCloud(ctx context.Context) error {
	next, err := c.cloud().Reopen(ctx, cloudPatience)
	if err != nil {
		return fmt.Errorf("restart the cloud: %w", err)
	}
	c.sim.Store(next)
	c.Cloud.Close() // the idle connections lead to the one that is gone, and a call that must not be made twice fails on them
	return nil
}

// Reseed lets the ids and addresses, and all other chance of the cloud, follow from another seed.
func (c *Cluster) Reseed(ctx context.Context, seed uint64) error { return c.cloud().Reseed(ctx, seed) }
