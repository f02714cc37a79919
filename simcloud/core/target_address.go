package core

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// behindAddress stands for the machine behind an address. The cloud knows nothing of it, and takes it for running.
var behindAddress = simcloud.Instance{State: simcloud.InstanceRunning}

// machineOf is the instance that is a target, the zero instance when it is gone, or what stands for the machine behind an address.
func (t *txn) machineOf(instance simcloud.ID, address string) (simcloud.Instance, error) {
	if address != "" {
		return behindAddress, nil
	}
	return t.instanceOf(instance)
}

// canReachAddress is canReach for a target that is an address: a private one has to be in a range of a network
// that the load balancer is attached to.
func (t *txn) canReachAddress(lb simcloud.LoadBalancer, address string, private bool) error {
	if !private || len(lb.Networks()) == 0 {
		return canReach(lb, behindAddress, private)
	}
	networks := make([]simcloud.Network, 0, len(lb.Networks()))
	for _, id := range lb.Networks() {
		network, err := store.Networks.Get(t.tx, id)
		if err != nil {
			return err
		}
		networks = append(networks, network)
	}
	return inRanges(lb, networks, address)
}

// inRanges answers Conflict when an address is in no range of the networks that a load balancer is attached to.
func inRanges(lb simcloud.LoadBalancer, networks []simcloud.Network, address string) error {
	var ranges []string
	for _, network := range networks {
		ranges = append(ranges, network.CIDRs...)
	}
	if slices.ContainsFunc(ranges, func(cidr string) bool { return rangeHas(cidr, address) }) {
		return nil
	}
	return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
		"address %s is in no range of the networks to which it is attached (ranges %v)", address, ranges)
}

func rangeHas(cidr, address string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	addr, bad := netip.ParseAddr(address)
	return err == nil && bad == nil && prefix.Contains(addr)
}

// targetText names a target for a message.
func targetText(key simcloud.ID) string {
	if instance, address := simcloud.TargetOf(key); instance == "" {
		return "address " + address
	}
	return fmt.Sprintf("instance %q", string(key))
}
