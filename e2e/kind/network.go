package kind

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/leftover"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// network is the one that all containers of a cluster are in. Of its range
// 10.N.0.0/16 the cloud gives the lower half to its instances, and the engine the
// upper one to whatever else there is.
type network struct {
	name string
	n    byte
}

// The networks that are tried: those of 10.0.0.0/8 that are likely to be
// free. Each has its own addresses for load balancers, of 127.0.0.0/8, so that
// clusters side by side do not meet.
const firstNetwork, lastNetwork = 160, 239

func (n network) subnet() netip.Prefix    { return n.prefix(0, 16) }
func (n network) instances() netip.Prefix { return n.prefix(0, 17) }
func (n network) rest() netip.Prefix      { return n.prefix(128, 17) }
func (n network) host() netip.Addr        { return n.rest().Addr().Next() }
func (n network) floating() string        { return fmt.Sprintf("127.%d.0.0/16", n.n) }

func (n network) prefix(third byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, n.n, third, 0}), bits)
}

func (n network) spec(labels map[string]string) engine.NetworkSpec {
	return engine.NetworkSpec{
		Name: n.name, Labels: labels,
		Pools: []engine.Pool{{Subnet: n.subnet(), Range: n.rest(), Gateway: n.host()}},
	}
}

// Network makes the network of the machines, unless it is there.
func (b *Backend) Network(ctx context.Context) (e2e.Network, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == stopped {
		return e2e.Network{}, simcloud.Errorf(simcloud.Conflict, "backend/kind", "was stopped; a backend is used once")
	}
	if b.network == nil {
		if err := b.makeNetwork(ctx); err != nil {
			return e2e.Network{}, err
		}
	}
	n := *b.network
	return e2e.Network{CIDRs: []string{n.instances().String()}, FloatingCIDRs: []string{n.floating()}, Host: n.host().String()}, nil
}

// makeNetwork claims the cluster, and makes the first network that is free.
func (b *Backend) makeNetwork(ctx context.Context) error {
	if err := b.claim(ctx); err != nil {
		return err
	}
	taken, err := hostPrefixes()
	if err != nil {
		return err
	}
	for n := firstNetwork; n <= lastNetwork; n++ {
		candidate := network{name: b.Config.Name, n: byte(n)}
		if slices.ContainsFunc(taken, candidate.subnet().Overlaps) {
			continue
		}
		err := b.Engine.CreateNetwork(ctx, candidate.spec(b.claimed.Labels()))
		if errors.Is(err, simcloud.InUse) {
			continue
		}
		if err != nil {
			return fmt.Errorf("make the network %s: %w", candidate.name, err)
		}
		b.network = &candidate
		here, err := hostPrefixes()
		if err != nil {
			return err
		}
		return candidate.requireHere(b.Engine.Name(), here)
	}
	return simcloud.Errorf(simcloud.Capacity, "backend/kind", "all networks from 10.%d.0.0/16 to 10.%d.0.0/16 are taken", firstNetwork, lastNetwork)
}

// claim makes the cluster's folder and says that its containers are this
// process's. It refuses a name that another cluster has, unless that one is an orphan.
func (b *Backend) claim(ctx context.Context) error {
	if b.claimed != nil {
		return nil
	}
	if _, err := leftover.Remove(ctx, b.Engine); err != nil { // that it stays is nothing to this cluster, which has a name of its own
		b.Progress("what others left cannot be removed; \"simcloud down\" tries again: " + err.Error())
	}
	there, err := b.Engine.List(ctx, engine.KindClusterLabel+"="+b.Config.Name)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return simcloud.Errorf(simcloud.AlreadyExists, "backend/kind", "there is a cluster %s (its container %s): use another name, or kind delete cluster", b.Config.Name, there[0].Name)
	}
	if err := b.dir.make(); err != nil {
		return fmt.Errorf("make the cluster's folder: %w", err)
	}
	b.claimed, err = leftover.NewClaim(string(b.dir), b.Config.Name)
	return err
}

// requireHere refuses an engine whose networks this host is not in: the cloud
// could not listen where the machines look for it.
func (n network) requireHere(engine string, here []netip.Prefix) error {
	if slices.ContainsFunc(here, func(p netip.Prefix) bool { return p.Addr() == n.host() }) {
		return nil
	}
	return simcloud.Errorf(simcloud.Unavailable, "engine/"+engine, "its network %s has no address on this host, so that no machine could reach the cloud: "+
		"%s runs without root, in a virtual machine or on another host, or gives a network its address with the first container only, as Podman does; "+
		"use a Docker that runs as root on this host", n.name, engine)
}

// hostPrefixes are the addresses of this host, with the networks that they are in.
func hostPrefixes() ([]netip.Prefix, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("read the networks of this host: %w", err)
	}
	var prefixes []netip.Prefix
	for _, a := range addresses {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes, nil
}
