package hcloud

import (
	"context"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// address is the address that a target of a request names, as the cloud writes it.
func (b targetBody) address() (simcloud.ID, error) {
	if b.IP == nil || b.IP.IP == "" {
		return "", missing("ip.ip")
	}
	addr, err := netip.ParseAddr(b.IP.IP)
	if err != nil || addr.Zone() != "" || addr.Is4In6() {
		return "", wrong("ip.ip", "%.60q is not an IP address", b.IP.IP)
	}
	if b.UsePrivateIP {
		return "", wrong("use_private_ip", "is not allowed for targets of the type ip")
	}
	return simcloud.ID(addr.String()), nil
}

// addedIP is a target that is an address of a dedicated server. Hetzner takes the addresses of the project's dedicated
// servers: public ones, and those of a vSwitch, which are in the network of the load balancer. The cloud has no list of dedicated
// servers, so that each public address that is not the cloud's own counts as one of theirs.
func (c call) addedIP(ctx context.Context, address string, lb simcloud.LoadBalancer) (simcloud.TargetSpec, error) {
	spec := simcloud.TargetSpec{Address: address}
	if slices.ContainsFunc(lb.Targets, func(t simcloud.Target) bool { return t.Key() == spec.Key() }) {
		return spec, refuse(simcloud.AlreadyExists, codeTargetDefined, "the ip %s is a target already", address)
	}
	taken, err := c.isOfCloud(ctx, address)
	switch {
	case err != nil:
		return spec, err
	case taken:
		return spec, refuse(simcloud.Invalid, codeIPNotOwned, "the ip %s belongs to the cloud: must be of a dedicated server", address)
	case isPrivate(address):
		spec.UsePrivateIP = true
		return spec, c.inNetworkOf(ctx, lb, address)
	case !publicEnabled(lb):
		return spec, refuse(simcloud.Invalid, codePublicDisabled, "the public interface of the load balancer is disabled")
	}
	return spec, nil
}

func isPrivate(address string) bool {
	addr, err := netip.ParseAddr(address)
	return err == nil && (addr.IsPrivate() || addr.IsLoopback())
}

// isOfCloud reports whether an address is in a pool of public addresses, or a server or a load balancer has it.
func (c call) isOfCloud(ctx context.Context, address string) (bool, error) {
	pools, err := all(ctx, c.cloud.ListFloatingIPPools)
	if err != nil || slices.ContainsFunc(pools, func(p simcloud.FloatingIPPool) bool { return within(address)(p.CIDR) }) {
		return err == nil, err
	}
	instances, err := all(ctx, c.cloud.ListInstances)
	if err != nil || slices.ContainsFunc(instances, func(i simcloud.Instance) bool {
		return slices.ContainsFunc(i.Addresses, func(a simcloud.Address) bool { return a.Address == address })
	}) {
		return err == nil, err
	}
	lbs, err := all(ctx, c.cloud.ListLoadBalancers)
	return slices.ContainsFunc(lbs, func(lb simcloud.LoadBalancer) bool {
		return slices.ContainsFunc(lb.VIPs, func(v simcloud.VIP) bool { return v.Address == address })
	}), err
}

// within reports whether a range has an address.
func within(address string) func(cidr string) bool {
	addr, bad := netip.ParseAddr(address)
	return func(cidr string) bool {
		prefix, err := netip.ParsePrefix(cidr)
		return err == nil && bad == nil && prefix.Contains(addr)
	}
}

// inNetworkOf refuses a private address that is in no range of the networks of a load balancer.
func (c call) inNetworkOf(ctx context.Context, lb simcloud.LoadBalancer, address string) error {
	if !slices.ContainsFunc(lb.VIPs, private) {
		return refuse(simcloud.Invalid, codeNotAttached, "the load balancer is not attached to a network")
	}
	for _, vip := range lb.VIPs {
		if !private(vip) {
			continue
		}
		network, err := c.cloud.GetNetwork(ctx, vip.Network)
		if err != nil || slices.ContainsFunc(network.CIDRs, within(address)) {
			return err
		}
	}
	return refuse(simcloud.Invalid, codeIPNotOwned, "the ip %s is not in the network of the load balancer", address)
}
