package e2e

import (
	"context"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// The hosts of [Capabilities.Wire] besides the CCM and its standby, each of which can be cut and held on its own.
const (
	HostCloud   = "cloud"
	HostHarness = "harness"
)

// openOnWire opens the cloud on the network in memory, where a port stays free until it is listened at again.
func openOnWire(ctx context.Context, cfg sim.Config, network *wire.Network) (*sim.Cloud, error) {
	cfg.Sockets = network.Host(HostCloud)
	return sim.Open(ctx, cfg)
}

// harnessTransport carries the harness's calls of the cloud; nil means one by sockets.
func (c *Cluster) harnessTransport() http.RoundTripper {
	if c.can.Wire == nil {
		return nil
	}
	return c.can.Wire.Host(HostHarness).Transport()
}
