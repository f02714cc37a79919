package engine

import (
	"context"
	"errors"
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// NetworkSpec describes a bridge network.
type NetworkSpec struct {
	Name   string
	Labels map[string]string
	Pools  []Pool
}

// Pool is a subnet of a network.
type Pool struct {
	Subnet netip.Prefix
	// Range is the part of it that the engine takes addresses from for who
	// asks for none; the zero value: all of it.
	Range netip.Prefix
	// Gateway is this machine's address; the zero value: the engine chooses.
	Gateway netip.Addr
}

// CreateNetwork makes a network. The error is InUse when a subnet overlaps with
// another network's, AlreadyExists when the name is taken, and Unimplemented
// when this machine cannot do IPv6. Without an error the network is there, even if ctx ended meanwhile.
func (e *Engine) CreateNetwork(ctx context.Context, spec NetworkSpec) error {
	if err := e.refuseNetworkOfTheName(ctx, spec.Name); err != nil {
		return err
	}
	args := append([]string{"network", "create", "--driver=bridge"}, labelFlags(spec.Labels)...)
	for _, p := range spec.Pools {
		args = append(args, p.flags()...)
	}
	return e.runOut(ctx, append(args, spec.Name)...)
}

// refuseNetworkOfTheName is needed because Docker allows two networks of a name.
func (e *Engine) refuseNetworkOfTheName(ctx context.Context, name string) error {
	_, err := e.Network(ctx, name)
	switch {
	case err == nil:
		return e.errorf(simcloud.AlreadyExists, "there is a network %s", name)
	case errors.Is(err, simcloud.NotFound):
		return nil
	}
	return err
}

func (p Pool) flags() []string {
	flags := []string{"--subnet=" + p.Subnet.String()}
	if p.Range.IsValid() {
		flags = append(flags, "--ip-range="+p.Range.String())
	}
	if p.Gateway.IsValid() {
		flags = append(flags, "--gateway="+p.Gateway.String())
	}
	if p.Subnet.Addr().Is6() {
		flags = append(flags, "--ipv6")
	}
	return flags
}

// RemoveNetwork removes a network without containers. One that is not there is no error.
func (e *Engine) RemoveNetwork(ctx context.Context, network string) error {
	_, err := e.run(ctx, nil, "network", "rm", network)
	if errors.Is(err, simcloud.NotFound) {
		return nil
	}
	return err
}

// Connect puts a container into a network, with these addresses, at most one
// per family; without any the engine chooses.
func (e *Engine) Connect(ctx context.Context, network, container string, addrs ...netip.Addr) error {
	args := append([]string{"network", "connect"}, addressFlags(addrs)...)
	_, err := e.run(ctx, nil, append(args, network, container)...)
	return err
}

// Disconnect takes a container out of a network.
func (e *Engine) Disconnect(ctx context.Context, network, container string) error {
	_, err := e.run(ctx, nil, "network", "disconnect", network, container)
	return err
}
