package lb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// floatingIPs are those that lead to a load balancer, by the Service's
// families, and whether that took a change.
type floatingIPs struct {
	attached []simcloud.FloatingIP
	changed  bool
}

// ensureFloatingIPs gives a public load balancer one floating IP of each family
// of its Service, and an internal one none. Others that were made for the
// Service go, and those that it had borrowed are given back.
func (l *Balancers) ensureFloatingIPs(ctx context.Context, want desired, lb simcloud.LoadBalancer, inv inventory) (result floatingIPs, err error) {
	l.settleFloatingIPs(want.owner(), inv.floatingIPs)
	if want.Scheme == simcloud.SchemePublic {
		asked, err := l.askedFor(ctx, want, inv.floatingIPs)
		if err != nil {
			return result, err
		}
		for _, f := range want.Addresses.Families {
			ip, changed, err := l.ensureFamily(ctx, want, f, asked[f], lb, inv)
			if err != nil {
				return result, err
			}
			if ip.ID != "" {
				result.attached, result.changed = append(result.attached, ip), result.changed || changed
			}
		}
	}
	for _, ip := range inv.floatingIPs {
		if slices.ContainsFunc(result.attached, func(kept simcloud.FloatingIP) bool { return kept.ID == ip.ID }) {
			continue
		}
		result.changed = true
		if err := l.release(ctx, ip, []simcloud.LoadBalancer{lb}, attached); err != nil {
			return result, err
		}
	}
	return result, nil
}

// ensureFamily gives the load balancer a floating IP of one family: asked, if
// it has an id, or else one of the Service's own. A secondary family that the
// cloud does not have may be missing: then the result has no id.
func (l *Balancers) ensureFamily(ctx context.Context, want desired, f family, asked simcloud.FloatingIP,
	lb simcloud.LoadBalancer, inv inventory,
) (ip simcloud.FloatingIP, changed bool, err error) {
	var claimed bool
	switch {
	case asked.ID != "":
		if ip, claimed, err = l.claim(ctx, want, asked, lb); err != nil {
			return ip, claimed, err
		}
	case want.Addresses.Asked[f] == "":
		ip = chooseFloatingIP(inv.floatingIPs, f, attachment(lb))
	}
	if ip.ID == "" {
		if has, err := l.mayHave(ctx, want.Addresses, f); err != nil || !has {
			return ip, false, err
		}
	}
	ip, changed, err = l.ensureAttached(ctx, want, f, lb, ip, inv.floatingIPsAt)
	return ip, changed || claimed, err
}

func attachment(lb simcloud.LoadBalancer) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb.ID}
}

// chooseFloatingIP picks the Service's own floating IP of a family to keep:
// best one that leads to the load balancer, else a free one, else any.
// Borrowed ones are had only while they are asked for.
func chooseFloatingIP(all []simcloud.FloatingIP, f family, to simcloud.Attachment) (chosen simcloud.FloatingIP) {
	for _, attachedTo := range []func(simcloud.Attachment) bool{
		func(a simcloud.Attachment) bool { return a == to },
		func(a simcloud.Attachment) bool { return a == simcloud.Attachment{} },
		func(simcloud.Attachment) bool { return true },
	} {
		for _, ip := range all {
			if !borrowed(ip) && familyOfText(ip.Address) == f && attachedTo(ip.AttachedTo) {
				return ip
			}
		}
	}
	return chosen
}

// mayHave reports whether to ask the cloud for an address of a family. A
// secondary family that is only preferred is not asked for where no pool has it.
func (l *Balancers) mayHave(ctx context.Context, a addressing, f family) (bool, error) {
	if a.All || f == a.Families[0] || a.Pools[f] != "" || a.Asked[f] != "" {
		return true, nil
	}
	pools, err := simcloud.ListAll(ctx, l.api.ListFloatingIPPools, simcloud.ListOptions{})
	if err != nil {
		return false, fmt.Errorf("list the pools of floating IPs: %w", err)
	}
	return slices.ContainsFunc(pools, func(p simcloud.FloatingIPPool) bool { return familyOfRange(p.CIDR) == f }), nil
}

// ensureAttached makes the floating IP when it has no id, and has it lead to the load balancer.
func (l *Balancers) ensureAttached(ctx context.Context, want desired, f family, lb simcloud.LoadBalancer,
	ip simcloud.FloatingIP, seen uint64,
) (_ simcloud.FloatingIP, changed bool, err error) {
	if ip.ID == "" {
		if ip, err = l.createFloatingIP(ctx, want, f, lb, seen); err != nil {
			return ip, true, err
		}
		changed = true
	}
	switch ip.AttachedTo {
	case attachment(lb):
		return ip, changed, nil
	case simcloud.Attachment{}:
		// The version keeps a call that is carried out late from attaching one that was given back since.
		result, err := l.api.AttachFloatingIP(ctx, ip.ID, attachment(lb), simcloud.IfVersion(ip.Version))
		if err != nil {
			return ip, true, fmt.Errorf("attach floating IP %s: %w", ip.ID, err)
		}
		return result.Resource, true, nil
	default:
		return ip, changed, elsewhere(ip)
	}
}

func (l *Balancers) createFloatingIP(ctx context.Context, want desired, f family, lb simcloud.LoadBalancer, seen uint64) (simcloud.FloatingIP, error) {
	asked := want.Addresses.Asked[f]
	spec := simcloud.FloatingIPSpec{
		Name: want.Name, Labels: want.Labels, Pool: want.Addresses.Pools[f], Family: int(f), Address: asked, AttachedTo: attachment(lb),
	}
	ip, err := l.newFloatingIP.Make(ctx, floatingIPOwner(want.owner(), f), spec, seen)
	switch {
	case err != nil:
		return ip, fmt.Errorf("create a floating IP: %w", err)
	case asked != "" && asked != ip.Address:
		return ip, call.NotReady("%s was made for an earlier version of the Service", simcloud.Ref(simcloud.KindFloatingIP, ip.ID))
	}
	return ip, nil
}

// floatingIPOwner tells the creates of a Service's floating IPs apart: each family has its own.
func floatingIPOwner(uid types.UID, f family) types.UID {
	return types.UID(fmt.Sprintf("%s/%s", uid, f))
}

// madeFloatingIP reports whether a Service's floating IP can come of a spec.
// One is made beside others of its family only for an address that none of them has.
func madeFloatingIP(spec simcloud.FloatingIPSpec, ip simcloud.FloatingIP) bool {
	if spec.Address != "" {
		return spec.Address == ip.Address
	}
	return family(spec.Family) == familyOfText(ip.Address)
}

func (l *Balancers) settleFloatingIPs(uid types.UID, listed []simcloud.FloatingIP) {
	for _, f := range []family{ipv4, ipv6} {
		l.newFloatingIP.Settle(floatingIPOwner(uid, f), listed)
	}
	l.claims.settle(uid, listed)
}

// overdueFloatingIPs is an error while a create or a claim of one may still take effect.
func (l *Balancers) overdueFloatingIPs(uid types.UID) error {
	return errors.Join(l.newFloatingIP.Overdue(floatingIPOwner(uid, ipv4)), l.newFloatingIP.Overdue(floatingIPOwner(uid, ipv6)), l.claims.overdue(uid))
}

// addressesOf are the addresses under which a load balancer is reached, in the
// order of the families: those of the Service's floating IPs, or for an
// internal one those of its network.
func addressesOf(lb simcloud.LoadBalancer, ips []simcloud.FloatingIP, families []family) []string {
	var addresses []string
	for _, f := range families {
		for _, vip := range lb.VIPs {
			if lb.Scheme == simcloud.SchemeInternal && vip.FloatingIP == "" && familyOfText(vip.Address) == f {
				addresses = append(addresses, vip.Address)
			}
		}
		for _, ip := range ips {
			if lb.Scheme == simcloud.SchemePublic && ip.AttachedTo == attachment(lb) && familyOfText(ip.Address) == f {
				addresses = append(addresses, ip.Address)
			}
		}
	}
	return addresses
}

func statusOf(addresses []string, mode v1.LoadBalancerIPMode) *v1.LoadBalancerStatus {
	status := &v1.LoadBalancerStatus{}
	for _, address := range addresses {
		status.Ingress = append(status.Ingress, v1.LoadBalancerIngress{IP: address, IPMode: &mode})
	}
	return status
}

// ensureAddresses gives the load balancer its addresses, unless others do, and
// returns those of the Service.
func (l *Balancers) ensureAddresses(ctx context.Context, want desired, lb simcloud.LoadBalancer, inv inventory) (simcloud.LoadBalancer, []string, error) {
	if want.Ref.Balancer != "" || want.Follows && len(inv.floatingIPs) > 0 {
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
