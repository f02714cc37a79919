package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// place gives the cloud the networks of the backend's machines, unless it has
// some, and returns the address of this host that they can reach.
func (c *Cluster) place(ctx context.Context, cfg *sim.Config) (host string, err error) {
	if c.can.Network == nil {
		return "127.0.0.1", nil
	}
	network, err := c.can.Network(ctx)
	if err != nil {
		return "", fmt.Errorf("make the network of the machines: %w", err)
	}
	if len(cfg.Networks) == 0 {
		cfg.Networks = network.CIDRs
	}
	if len(cfg.FloatingCIDRs) == 0 {
		cfg.FloatingCIDRs = network.FloatingCIDRs
	}
	cfg.TargetNetworks = nil
	for _, cidr := range cfg.Networks {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return "", simcloud.Errorf(simcloud.Invalid, "", "networks: invalid network %q: must be a network such as 10.0.0.0/16", cidr)
		}
		cfg.TargetNetworks = append(cfg.TargetNetworks, prefix)
	}
	return network.Host, nil
}

// openSim opens the cloud at a port that it can have again after a restart:
// those that systems give to whoever asks for any port are taken at any time.
func (c *Cluster) openSim(ctx context.Context, cfg sim.Config, host string) (*sim.Cloud, error) {
	if c.can.Wire != nil {
		return openOnWire(ctx, cfg, c.can.Wire)
	}
	if cfg.Listen != "" {
		return sim.Open(ctx, cfg)
	}
	for {
		port, err := process.FreePort()
		if err != nil {
			return nil, err
		}
		cfg.Listen, cfg.Loopback = net.JoinHostPort(host, strconv.Itoa(port)), true
		if cloud, err := sim.Open(ctx, cfg); !errors.Is(err, syscall.EADDRINUSE) {
			return cloud, err
		}
	}
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
