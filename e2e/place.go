package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"

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
func openSim(ctx context.Context, cfg sim.Config, host string) (*sim.Cloud, error) {
	if cfg.Listen != "" {
		return sim.Open(ctx, cfg)
	}
	for {
		port, err := process.FreePort()
		if err != nil {
			return nil, err
		}
		cfg.Listen = net.JoinHostPort(host, strconv.Itoa(port))
		if cloud, err := sim.Open(ctx, cfg); !errors.Is(err, syscall.EADDRINUSE) {
			return cloud, err
		}
	}
}
