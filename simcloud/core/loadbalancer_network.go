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
	ctx context.Context, id simcloud.ID, to simcloud.NetworkAttachment, opts ...simcloud.CallOption,
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

func (t *txn) attachNetworks(lb *simcloud.LoadBalancer, specs []simcloud.NetworkAttachment) error {
	for i, spec := range specs {
		if err := t.attachNetwork(lb, spec, fmt.Sprintf("networks[%d].", i)); err != nil {
			return err
		}
	}
	return nil
}

// attachNetwork adds the addresses of a network; path leads to the spec in the request.
func (t *txn) attachNetwork(lb *simcloud.LoadBalancer, spec simcloud.NetworkAttachment, path string) error {
	ref := store.Ref{Kind: simcloud.KindLoadBalancer, ID: lb.ID}
	pools, err := t.attachmentPools(ref, lb.Networks(), spec, path)
	if err != nil {
		return err
	}
	vips, err := t.takeVIPs(lb.ID, spec.Network, pools, []string{spec.Address})
	lb.VIPs = append(lb.VIPs, vips...)
	return err
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
