package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// AttachLoadBalancerNetwork gives a load balancer addresses of a network.
func (m mutations) AttachLoadBalancerNetwork(
	ctx context.Context, id simcloud.ID, to simcloud.LoadBalancerAttachment, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "AttachLoadBalancerNetwork", ids: []simcloud.ID{id}, spec: to, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(t *txn, lb *simcloud.LoadBalancer) error { return t.attachNetwork(lb, to, "") })
}

// DetachLoadBalancerNetwork frees the addresses that a load balancer has of a network.
func (m mutations) DetachLoadBalancerNetwork(
	ctx context.Context, id, network simcloud.ID, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "DetachLoadBalancerNetwork", ids: []simcloud.ID{id, network}, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(t *txn, lb *simcloud.LoadBalancer) error {
		ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
		switch {
		case !lb.AttachedTo(network):
			return simcloud.Errorf(simcloud.NotFound, ref, "it is not attached to the network %q", network)
		case lb.Scheme == simcloud.SchemeInternal && network == lb.Network:
			return simcloud.Errorf(simcloud.Conflict, ref, "it is internal: its network %s stays attached", network)
		}
		return t.detachNetwork(lb, network)
	})
}

func (t *txn) attachNetworks(lb *simcloud.LoadBalancer, specs []simcloud.LoadBalancerAttachment) error {
	for i, spec := range specs {
		if err := t.attachNetwork(lb, spec, fmt.Sprintf("networks[%d].", i)); err != nil {
			return err
		}
	}
	return nil
}

// attachNetwork adds the addresses of a network; path leads to the spec in the request.
func (t *txn) attachNetwork(lb *simcloud.LoadBalancer, spec simcloud.LoadBalancerAttachment, path string) error {
	network, err := find(t.tx, store.Networks, t.caller.Project, spec.Network)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return invalid(string(simcloud.KindLoadBalancer), path+"network", "network %q not found", spec.Network)
	}
	if err != nil {
		return err
	}
	if lb.AttachedTo(network.ID) {
		return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
			"it is attached to the network %s", network.ID)
	}
	pools, err := t.attachmentPools(network, spec, path)
	if err != nil {
		return err
	}
	vips, err := t.takeVIPs(lb.ID, network.ID, pools, []string{spec.Address})
	lb.VIPs = append(lb.VIPs, vips...)
	return err
}

// attachmentPools returns where the addresses of an attached network are from:
// one pool for each family, of which one has the address that the spec asks for.
func (t *txn) attachmentPools(network simcloud.Network, spec simcloud.LoadBalancerAttachment, path string) ([]pool, error) {
	pools, err := t.privatePools(network, spec.Subnet)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return nil, invalid(string(simcloud.KindLoadBalancer), path+"subnet", "subnet %q not found in the network %s", spec.Subnet, network.ID)
	}
	if err != nil || spec.Address == "" || slices.ContainsFunc(pools, func(p pool) bool { return has(p, spec.Address) }) {
		return pools, err
	}
	_, subnets, err := t.networkPools(network)
	if err != nil {
		return nil, err
	}
	around := slices.IndexFunc(subnets, func(p pool) bool { return has(p, spec.Address) })
	if around < 0 || spec.Subnet != "" {
		return nil, invalid(string(simcloud.KindLoadBalancer), path+"address",
			"%s cannot be allocated: must be an address of %s", spec.Address, rangesOf(pools))
	}
	for i, p := range pools {
		if p.prefix.Overlaps(subnets[around].prefix) {
			pools[i] = subnets[around]
		}
	}
	return pools, nil
}

// detachNetwork frees the addresses of a network, and drops the targets that were reached through it.
func (t *txn) detachNetwork(lb *simcloud.LoadBalancer, network simcloud.ID) error {
	for _, vip := range lb.VIPs {
		if vip.Network != network {
			continue
		}
		if err := t.releaseVIP(*lb, vip); err != nil {
			return err
		}
	}
	lb.VIPs = slices.DeleteFunc(lb.VIPs, func(vip simcloud.VIP) bool { return vip.Network == network })
	return t.dropUnreachable(lb)
}
