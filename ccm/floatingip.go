package ccm

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// floatingIPs are those that lead to a load balancer, and whether that took a change.
type floatingIPs struct {
	attached []simcloud.FloatingIP
	changed  bool
}

// ensureFloatingIPs gives a public load balancer one floating IP, and an
// internal one none. Others that were made for the Service go.
func (l *loadBalancers) ensureFloatingIPs(ctx context.Context, want desired, lb simcloud.LoadBalancer, inv inventory) (result floatingIPs, err error) {
	l.newFloatingIP.settle(ownerOf(want), inv.floatingIPs)
	extra := inv.floatingIPs
	if want.Scheme == simcloud.SchemePublic {
		var ip simcloud.FloatingIP
		ip, extra = chooseFloatingIP(inv.floatingIPs, want.Address, attachment(lb))
		if ip, result.changed, err = l.ensureAttached(ctx, want, lb, ip, inv.floatingIPsAt); err != nil {
			return result, err
		}
		result.attached = []simcloud.FloatingIP{ip}
	}
	for _, ip := range extra {
		result.changed = true
		if err := l.release(ctx, ip, []simcloud.LoadBalancer{lb}, attached); err != nil {
			return result, err
		}
	}
	return result, nil
}

func attachment(lb simcloud.LoadBalancer) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb.ID}
}

// chooseFloatingIP picks the floating IP to keep, with the address when one is
// asked for: best one that leads to the load balancer, else a free one, else
// any. It returns the others, too.
func chooseFloatingIP(all []simcloud.FloatingIP, address string, to simcloud.Attachment) (chosen simcloud.FloatingIP, extra []simcloud.FloatingIP) {
	for _, attachedTo := range []func(simcloud.Attachment) bool{
		func(a simcloud.Attachment) bool { return a == to },
		func(a simcloud.Attachment) bool { return a == simcloud.Attachment{} },
		func(simcloud.Attachment) bool { return true },
	} {
		i := slices.IndexFunc(all, func(ip simcloud.FloatingIP) bool {
			return attachedTo(ip.AttachedTo) && (address == "" || ip.Address == address)
		})
		if i >= 0 {
			return all[i], slices.Delete(slices.Clone(all), i, i+1)
		}
	}
	return chosen, all
}

// ensureAttached makes the floating IP when it has no id, and has it lead to the load balancer.
func (l *loadBalancers) ensureAttached(ctx context.Context, want desired, lb simcloud.LoadBalancer, ip simcloud.FloatingIP, seen uint64) (_ simcloud.FloatingIP, changed bool, err error) {
	if ip.ID == "" {
		spec := simcloud.FloatingIPSpec{Name: want.Name, Labels: want.Labels, Pool: want.Pool, Address: want.Address, AttachedTo: attachment(lb)}
		ip, err = l.newFloatingIP.make(ctx, ownerOf(want), spec, seen)
		if err != nil {
			return ip, true, fmt.Errorf("create a floating IP: %w", err)
		}
		changed = true
	}
	switch ip.AttachedTo {
	case attachment(lb):
		return ip, changed, nil
	case simcloud.Attachment{}:
		result, err := l.api.AttachFloatingIP(ctx, ip.ID, attachment(lb))
		if err != nil {
			return ip, true, fmt.Errorf("attach floating IP %s: %w", ip.ID, err)
		}
		return result.Resource, true, nil
	default:
		return ip, changed, elsewhere(ip)
	}
}

// elsewhere says that somebody has attached a Service's floating IP to something else.
func elsewhere(ip simcloud.FloatingIP) error {
	return simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindFloatingIP, ip.ID),
		"%s is the Service's, and attached to %s: detach it", ip.Address, simcloud.Ref(ip.AttachedTo.Kind, ip.AttachedTo.ID))
}

// Whether floating IPs of a load balancer have to be detached: deleting it has done so.
const (
	attached = true
	detached = false
)

// release deletes a floating IP that is free or leads to one of the Service's
// own load balancers. One that somebody has attached to something else stays.
func (l *loadBalancers) release(ctx context.Context, ip simcloud.FloatingIP, ours []simcloud.LoadBalancer, detach bool) error {
	if ip.AttachedTo != (simcloud.Attachment{}) {
		if !slices.ContainsFunc(ours, func(lb simcloud.LoadBalancer) bool { return attachment(lb) == ip.AttachedTo }) {
			return elsewhere(ip)
		}
		if detach {
			if _, err := l.api.DetachFloatingIP(ctx, ip.ID); ignoreGone(err) != nil {
				return fmt.Errorf("detach floating IP %s: %w", ip.ID, err)
			}
		}
	}
	if _, err := l.api.DeleteFloatingIP(ctx, ip.ID); ignoreGone(err) != nil {
		return fmt.Errorf("delete floating IP %s: %w", ip.ID, err)
	}
	return nil
}

// addressesOf are the addresses under which a load balancer is reached: those
// of the Service's floating IPs, or for an internal one those of its network.
func addressesOf(lb simcloud.LoadBalancer, ips []simcloud.FloatingIP) []string {
	var addresses []string
	if lb.Scheme == simcloud.SchemeInternal {
		for _, vip := range lb.VIPs {
			if vip.FloatingIP == "" {
				addresses = append(addresses, vip.Address)
			}
		}
		return addresses
	}
	for _, ip := range ips {
		if ip.AttachedTo == attachment(lb) {
			addresses = append(addresses, ip.Address)
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
