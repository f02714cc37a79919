package hcloud

import (
	"context"
	"errors"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// attachment is a network that a load balancer is to be attached to.
type attachment struct {
	Network int64   `json:"network"`
	IP      *string `json:"ip"`
	IPRange *string `json:"ip_range"`
}

func (c call) attachToNetwork() (edge.Reply, error) {
	body, err := decode[attachment](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.Network == 0 {
		return edge.Reply{}, missing("network")
	}
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		if slices.ContainsFunc(lb.VIPs, private) {
			return loadBalancerResult{}, refuse(simcloud.AlreadyExists, codeAlreadyAttached, "the load balancer is attached to a network already")
		}
		to, err := c.attachment(ctx, "network", body)
		if err != nil {
			return loadBalancerResult{}, err
		}
		result, err := c.cloud.AttachLoadBalancerNetwork(ctx, lb.ID, to, opts...)
		return result, unattachable(to, err)
	})
	return c.balanced(result, err)
}

// private is whether an address is one of a network.
func private(vip simcloud.VIP) bool { return vip.Network != "" }

// attachment is what a request asks for in one of its fields: without a range the first subnet of the network,
// as all addresses at Hetzner are of subnets.
func (c call) attachment(ctx context.Context, field string, body attachment) (to simcloud.NetworkAttachment, err error) {
	n, err := c.cloud.GetNetwork(ctx, idOf(networkPrefix, body.Network))
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return to, wrong(field, "network with ID '%d' not found", body.Network)
	}
	if err != nil {
		return to, err
	}
	to.Network = n.ID
	set(&to.Address, body.IP)
	subnets, err := all(ctx, c.cloud.ListSubnets)
	if err != nil || to.Address != "" && body.IPRange == nil {
		return to, err
	}
	for _, s := range subnets {
		if s.Network == n.ID && (body.IPRange == nil || s.CIDR == *body.IPRange) {
			to.Subnet = s.ID
			return to, nil
		}
	}
	if body.IPRange != nil && *body.IPRange != rangeOf(n).String() {
		return to, wrong("ip_range", "the network has no subnet %s", *body.IPRange)
	}
	return to, nil
}

// unattachable is the error of an attachment as Hetzner has it.
func unattachable(to simcloud.NetworkAttachment, err error) error {
	switch {
	case to.Address != "" && (errors.Is(err, simcloud.AlreadyExists) || errors.Is(err, simcloud.Invalid)):
		return refuse(simcloud.AlreadyExists, codeIPNotAvailable, "the IP address %s is not available", to.Address)
	case errors.Is(err, simcloud.Capacity):
		return refuse(simcloud.Capacity, codeNoSubnet, "no IP address is available in the network")
	default:
		return err
	}
}

func (c call) detachFromNetwork() (edge.Reply, error) {
	body, err := decode[struct {
		Network int64 `json:"network"`
	}](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.Network == 0 {
		return edge.Reply{}, missing("network")
	}
	from := idOf(networkPrefix, body.Network)
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		if !lb.AttachedTo(from) {
			return loadBalancerResult{}, refuse(simcloud.Invalid, codeNotAttached, "the load balancer is not attached to the network")
		}
		return c.cloud.DetachLoadBalancerNetwork(ctx, lb.ID, from, opts...)
	})
	return c.balanced(result, err)
}

func (c call) enablePublicInterface() (edge.Reply, error)  { return c.setPublicInterface(true) }
func (c call) disablePublicInterface() (edge.Reply, error) { return c.setPublicInterface(false) }

// setPublicInterface turns the public addresses of a load balancer on or off.
func (c call) setPublicInterface(enabled bool) (edge.Reply, error) {
	if err := c.refuseBody(); err != nil {
		return edge.Reply{}, err
	}
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		byPublicIP := func(t simcloud.Target) bool { return !t.UsePrivateIP }
		switch {
		case !enabled && !slices.ContainsFunc(lb.VIPs, private):
			return loadBalancerResult{}, refuse(simcloud.Invalid, codeNotAttached, "the load balancer is not attached to a network")
		case !enabled && slices.ContainsFunc(lb.Targets, byPublicIP):
			return loadBalancerResult{}, refuse(simcloud.Invalid, codeTargetsWithoutIP, "the load balancer has targets that use the public IP")
		}
		disabled := !enabled
		return c.cloud.UpdateLoadBalancer(ctx, lb.ID, simcloud.LoadBalancerUpdate{PublicDisabled: &disabled}, opts...)
	})
	return c.balanced(result, err)
}
