package core

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (i *inspection) subnets() {
	ranges := map[simcloud.ID][]string{}
	for _, network := range i.state.Networks {
		ranges[network.ID] = network.CIDRs
	}
	seen := map[simcloud.ID][]string{}
	for _, subnet := range i.state.Subnets {
		i.refers(simcloud.KindSubnet, subnet.Meta, simcloud.KindNetwork, subnet.Network)
		if subnet.Zone != "" {
			i.refers(simcloud.KindSubnet, subnet.Meta, simcloud.KindZone, subnet.Zone)
		}
		if !within(ranges[subnet.Network], subnet.CIDR) {
			i.fail("%s has %s, which is not in %s (%v)", subnet.ID, subnet.CIDR, subnet.Network, ranges[subnet.Network])
		}
		for _, other := range seen[subnet.Network] {
			if overlap(other, subnet.CIDR) {
				i.fail("%s has %s, which overlaps the subnet %s", subnet.ID, subnet.CIDR, other)
			}
		}
		seen[subnet.Network] = append(seen[subnet.Network], subnet.CIDR)
	}
	for _, instance := range i.state.Instances {
		i.placement(instance)
		for _, address := range instance.Addresses {
			i.ofAttached(instance, address)
		}
	}
}

// ofAttached checks that an address of a network to which an instance was attached is from where the instance has it.
func (i *inspection) ofAttached(instance simcloud.Instance, address simcloud.Address) {
	if address.Network == "" {
		if address.Subnet != "" {
			i.fail("%s has %s of %s, and of no network to which it was attached", instance.ID, address.Address, address.Subnet)
		}
		return
	}
	if address.Network == instance.Network || address.Scope != simcloud.ScopePrivate {
		i.fail("%s has the %s address %s of %s, which is its own or has no such addresses", instance.ID, address.Scope, address.Address, address.Network)
	}
	i.refers(simcloud.KindInstance, instance.Meta, simcloud.KindNetwork, address.Network)
	if address.Subnet != "" {
		i.refers(simcloud.KindInstance, instance.Meta, simcloud.KindSubnet, address.Subnet)
	}
	i.fromSubnet(string(instance.ID), address.Address, address.Network, address.Subnet)
}

// fromSubnet checks that an address that something has of a network is in the range of
// its subnet, if it has one, and of no other.
func (i *inspection) fromSubnet(holder, address string, network, of simcloud.ID) {
	for _, subnet := range i.state.Subnets {
		if is := subnet.ID == of; subnet.Network == network && contains(subnet.CIDR, address) != is {
			i.fail("%s has %s, of %s (%s): %t", holder, address, subnet.ID, subnet.CIDR, is)
		}
	}
}

// placement checks that an instance is where its subnet allows it, and has no
// address of a subnet that it is not in.
func (i *inspection) placement(instance simcloud.Instance) {
	if instance.Subnet != "" {
		i.refers(simcloud.KindInstance, instance.Meta, simcloud.KindSubnet, instance.Subnet)
	}
	for _, subnet := range i.state.Subnets {
		if subnet.ID == instance.Subnet {
			if subnet.Network != instance.Network || reaches(subnet, instance.Zone) != nil {
				i.fail("%s of %s and %s is in %s of %s and %q", instance.ID, instance.Network, instance.Zone, subnet.ID, subnet.Network, subnet.Zone)
			}
			continue
		}
		for _, address := range instance.Addresses {
			if address.Scope == simcloud.ScopePrivate && address.Network == "" && subnet.Network == instance.Network && contains(subnet.CIDR, address.Address) {
				i.fail("%s has %s of %s, in which it is not", instance.ID, address.Address, subnet.ID)
			}
		}
	}
}

func (i *inspection) pools() {
	cidrs := map[string]string{}
	for _, pool := range i.state.FloatingIPPools {
		for name, other := range cidrs {
			if overlap(other, pool.CIDR) {
				i.fail("the pools %s and %s overlap", name, pool.ID)
			}
		}
		cidrs[string(pool.ID)] = pool.CIDR
	}
	for _, fip := range i.state.FloatingIPs {
		i.refers(simcloud.KindFloatingIP, fip.Meta, simcloud.KindFloatingIPPool, simcloud.ID(fip.Pool))
		if !contains(cidrs[fip.Pool], fip.Address) {
			i.fail("%s has %s, which is not of the pool %s (%s)", fip.ID, fip.Address, fip.Pool, cidrs[fip.Pool])
		}
	}
}

func (i *inspection) clusters() {
	names := map[string]simcloud.ID{}
	for _, cluster := range i.state.Clusters {
		key := string(cluster.Project) + " " + cluster.Name
		if other, taken := names[key]; taken {
			i.fail("%s and %s of one project have the name %q", other, cluster.ID, cluster.Name)
		}
		names[key] = cluster.ID
	}
	for _, q := range i.state.Quotas {
		i.common(simcloud.KindQuota, q.Meta)
	}
}

// What is no range or address is in nothing.

func contains(cidr, address string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	addr, bad := netip.ParseAddr(address)
	return err == nil && bad == nil && prefix.Contains(addr)
}

func overlap(a, b string) bool {
	one, err := netip.ParsePrefix(a)
	other, bad := netip.ParsePrefix(b)
	return err == nil && bad == nil && one.Overlaps(other)
}

func within(ranges []string, cidr string) bool {
	part, err := netip.ParsePrefix(cidr)
	for _, around := range ranges {
		prefix, bad := netip.ParsePrefix(around)
		if err == nil && bad == nil && prefix.Bits() <= part.Bits() && prefix.Contains(part.Addr()) {
			return true
		}
	}
	return false
}

// ofNetwork checks that a VIP is from where the load balancer has it.
func (i *inspection) ofNetwork(lb simcloud.LoadBalancer, vip simcloud.VIP) {
	if (vip.Pool == "") == (vip.Network == "") {
		i.fail("%s has %s of the pool %q and of the network %q", lb.ID, vip.Address, vip.Pool, vip.Network)
	}
	if vip.Network == "" {
		return
	}
	i.refers(simcloud.KindLoadBalancer, lb.Meta, simcloud.KindNetwork, vip.Network)
	if lb.Placed(vip) && i.otherFamily(vip) {
		vip.Subnet = "" // it is from the ranges of the network, as the IPv6 address of an instance in a subnet of IPv4
	}
	i.fromSubnet(string(lb.ID), vip.Address, vip.Network, vip.Subnet)
}

// otherFamily reports whether an address is of another family than its subnet.
func (i *inspection) otherFamily(vip simcloud.VIP) bool {
	return slices.ContainsFunc(i.state.Subnets, func(s simcloud.Subnet) bool {
		first, _, _ := strings.Cut(s.CIDR, "/")
		return s.ID == vip.Subnet && simcloud.VIP{Address: first}.Family() != vip.Family()
	})
}

// placed checks that a VIP names a subnet and a zone that are there, and that the subnet reaches the zone.
func (i *inspection) placed(lb simcloud.LoadBalancer, vip simcloud.VIP) {
	if vip.Subnet != "" {
		i.refers(simcloud.KindLoadBalancer, lb.Meta, simcloud.KindSubnet, vip.Subnet)
	}
	if vip.Zone != "" {
		i.refers(simcloud.KindLoadBalancer, lb.Meta, simcloud.KindZone, vip.Zone)
	}
	for _, subnet := range i.state.Subnets {
		if subnet.ID == vip.Subnet && lb.Placed(vip) && (subnet.Network != lb.Network || subnet.Zone != "" && subnet.Zone != vip.Zone) {
			i.fail("%s has %s in %s of %s and %q, which is of %s and %q", lb.ID, vip.Address, subnet.ID, lb.Network, vip.Zone, subnet.Network, subnet.Zone)
		}
	}
}

// reach checks that a way leads from a load balancer to a target.
func (i *inspection) reach(lb simcloud.LoadBalancer, target simcloud.Target) {
	if target.Address != "" {
		i.reachAddress(lb, target)
		return
	}
	instance, there := i.instance[target.Instance]
	if !there && len(lb.Networks()) > 0 {
		instance.Network = lb.Networks()[0] // it was in one of them
	}
	if err := canReach(lb, instance, target.UsePrivateIP); err != nil {
		i.fail("the target %s: %v", target.Instance, err)
	}
}

// reachAddress is reach for a target that is an address.
func (i *inspection) reachAddress(lb simcloud.LoadBalancer, target simcloud.Target) {
	err := canReach(lb, behindAddress, false)
	if target.UsePrivateIP {
		networks := slices.DeleteFunc(slices.Clone(i.state.Networks), func(n simcloud.Network) bool { return !lb.AttachedTo(n.ID) })
		err = inRanges(lb, networks, target.Address)
	}
	if err != nil {
		i.fail("the target %s: %v", target.Address, err)
	}
}

// machine is what is behind a target: see machineOf.
func (i *inspection) machine(instance simcloud.ID, address string) (simcloud.Instance, bool) {
	if address != "" {
		return behindAddress, true
	}
	is, there := i.instance[instance]
	return is, there
}
