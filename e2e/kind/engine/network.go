package engine

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Network is a network of containers on this machine.
type Network struct {
	ID, Name string
	Labels   map[string]string
	// Subnets and Gateways belong together. A gateway is this machine's address
	// in the network; it is not valid where the engine chose it and does not tell.
	Subnets  []netip.Prefix
	Gateways []netip.Addr
}

// Network returns the network.
func (e *Engine) Network(ctx context.Context, network string) (Network, error) {
	found, err := e.inspectNetworks(ctx, []string{network})
	if err != nil {
		return Network{}, err
	}
	if len(found) == 0 {
		return Network{}, e.errorf(simcloud.NotFound, "no such network: %s", network)
	}
	return found[0], nil
}

// Networks returns the networks that have all of these labels. A label is "key" or "key=value".
func (e *Engine) Networks(ctx context.Context, labels ...string) ([]Network, error) {
	out, err := e.run(ctx, nil, append([]string{"network", "ls", "--quiet"}, labelFilters(labels)...)...)
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(out))
	if len(names) == 0 {
		return nil, nil
	}
	return e.inspectNetworks(ctx, names)
}

// inspectNetworks returns those of the networks that are there.
func (e *Engine) inspectNetworks(ctx context.Context, names []string) ([]Network, error) {
	out, err := e.run(ctx, nil, append([]string{"network", "inspect"}, names...)...)
	if err != nil && !errors.Is(err, simcloud.NotFound) {
		return nil, err
	}
	var raw []inspectedNetwork
	if err := json.Unmarshal(out, &raw); err != nil {
		return nil, e.errorf(simcloud.Internal, "what it says about networks cannot be understood: %w", err)
	}
	var found []Network
	for _, r := range raw {
		found = append(found, r.network())
	}
	return found, nil
}

type subnet struct{ Subnet, Gateway string }

// inspectedNetwork is what Docker and nerdctl answer to "network inspect"
// (with IPAM), and what Podman does (with Subnets).
type inspectedNetwork struct {
	ID, Name string
	Labels   map[string]string
	IPAM     struct{ Config []subnet }
	Subnets  []subnet
}

func (i inspectedNetwork) network() Network {
	n := Network{ID: i.ID, Name: i.Name, Labels: i.Labels}
	for _, s := range slices.Concat(i.IPAM.Config, i.Subnets) {
		prefix, err := netip.ParsePrefix(s.Subnet)
		if err != nil {
			continue
		}
		gateway, _ := netip.ParseAddr(s.Gateway) // the zero value where there is none
		n.Subnets, n.Gateways = append(n.Subnets, prefix), append(n.Gateways, gateway)
	}
	return n
}
