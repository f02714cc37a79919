package ccm

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

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
// own load balancers, or gives it back if it was borrowed. One that somebody
// has attached to something else stays there.
func (l *loadBalancers) release(ctx context.Context, ip simcloud.FloatingIP, ours []simcloud.LoadBalancer, detach bool) error {
	leadsToUs := slices.ContainsFunc(ours, func(lb simcloud.LoadBalancer) bool { return attachment(lb) == ip.AttachedTo })
	if leadsToUs && detach {
		// The version is of when it led to us.
		if _, err := l.api.DetachFloatingIP(ctx, ip.ID, simcloud.IfVersion(ip.Version)); ignoreGone(err) != nil {
			return fmt.Errorf("detach floating IP %s: %w", ip.ID, err)
		}
	}
	if borrowed(ip) {
		return l.giveBack(ctx, ip)
	}
	if ip.AttachedTo != (simcloud.Attachment{}) && !leadsToUs {
		return elsewhere(ip)
	}
	if _, err := l.api.DeleteFloatingIP(ctx, ip.ID); ignoreGone(err) != nil {
		return fmt.Errorf("delete floating IP %s: %w", ip.ID, err)
	}
	return nil
}
