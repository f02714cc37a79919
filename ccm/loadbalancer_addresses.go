package ccm

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ensureAddresses gives the load balancer its addresses, unless others do, and
// returns those of the Service.
func (l *loadBalancers) ensureAddresses(ctx context.Context, want desired, lb simcloud.LoadBalancer, inv inventory) (simcloud.LoadBalancer, []string, error) {
	if want.Place.Balancer != "" || want.Follows && len(inv.floatingIPs) > 0 {
		return lb, addressesOf(lb, floatingIPsOf(lb), want.Addresses.Families), nil
	}
	ips, err := l.ensureFloatingIPs(ctx, want, lb, inv)
	if err != nil {
		return lb, nil, err
	}
	if ips.changed {
		if lb, err = l.get(ctx, lb.ID); err != nil {
			return lb, nil, err
		}
	}
	return lb, addressesOf(lb, ips.attached, want.Addresses.Families), nil
}

// floatingIPsOf are those that lead to a load balancer, as far as it says.
func floatingIPsOf(lb simcloud.LoadBalancer) []simcloud.FloatingIP {
	var ips []simcloud.FloatingIP
	for _, vip := range lb.VIPs {
		if vip.FloatingIP != "" {
			ips = append(ips, simcloud.FloatingIP{Meta: simcloud.Meta{ID: vip.FloatingIP}, Address: vip.Address, AttachedTo: attachment(lb)})
		}
	}
	return ips
}
