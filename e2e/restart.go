package e2e

import (
	"context"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// apiServerRestarter is a Backend that can restart its API server.
type apiServerRestarter interface {
	// RestartAPIServer kills the API server and returns when a new one serves
	// at the same address, with the same data.
	RestartAPIServer(ctx context.Context) error
}

// RestartAPIServer kills the API server and returns when it serves again, at
// the same address and with its data. Connections and watches break; tokens and
// certificates stay good. It answers Unimplemented when the backend cannot.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	backend, ok := c.Backend.(apiServerRestarter)
	if !ok {
		return simcloud.Errorf(simcloud.Unimplemented, "backend/"+c.Backend.Name(), "it cannot restart its API server")
	}
	if err := backend.RestartAPIServer(ctx); err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	return nil
}

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
