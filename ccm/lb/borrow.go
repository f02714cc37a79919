package lb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// A floating IP that another client has made can be borrowed. A label says by
// which Service, before anything is done with it: so no second Service takes it
// while the first one's load balancer is being replaced, and after a crash it
// is known what to give back. It is never deleted.

// borrowed reports whether a Service's floating IP was made by another client of the cloud.
func borrowed(ip simcloud.FloatingIP) bool { return label.IsBorrowed(ip.Labels) }

// askedFor returns the floating IPs that there are of those that the Service
// asks for, whoever's they are. An address that none has is not in the result.
func (l *Balancers) askedFor(ctx context.Context, want desired, own []simcloud.FloatingIP) (map[family]simcloud.FloatingIP, error) {
	asked := map[family]simcloud.FloatingIP{}
	for _, id := range want.Addresses.Borrowed {
		ip, err := l.byID(ctx, id, own)
		if err != nil {
			return nil, err
		}
		f := familyOfText(ip.Address)
		if err := checkBorrowed(ip, f, asked[f], want.Addresses); err != nil {
			return nil, err
		}
		asked[f] = ip
	}
	for _, f := range want.Addresses.Families {
		address := want.Addresses.Asked[f]
		if _, known := asked[f]; known || address == "" {
			continue
		}
		ip, found, err := l.byAddress(ctx, address, own)
		if err != nil {
			return nil, err
		}
		if found {
			asked[f] = ip
		}
	}
	return asked, nil
}

func (l *Balancers) byID(ctx context.Context, id simcloud.ID, own []simcloud.FloatingIP) (simcloud.FloatingIP, error) {
	if i := slices.IndexFunc(own, func(ip simcloud.FloatingIP) bool { return ip.ID == id }); i >= 0 {
		return own[i], nil
	}
	ip, err := l.api.GetFloatingIP(ctx, id)
	switch {
	case call.IsGone(err):
		return ip, wrongFloatingIP(id, "floating IP not found")
	case err != nil:
		return ip, fmt.Errorf("read floating IP %s: %w", id, err)
	}
	return ip, nil
}

// byAddress looks through all floating IPs if need be: the cloud finds none by its address.
func (l *Balancers) byAddress(ctx context.Context, address string, own []simcloud.FloatingIP) (ip simcloud.FloatingIP, found bool, err error) {
	has := func(ip simcloud.FloatingIP) bool { return ip.Address == address }
	if i := slices.IndexFunc(own, has); i >= 0 {
		return own[i], true, nil
	}
	all, err := simcloud.ListAll(ctx, l.api.ListFloatingIPs, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	if err != nil {
		return ip, false, fmt.Errorf("look for the floating IP %s: %w", address, err)
	}
	if i := slices.IndexFunc(all, has); i >= 0 {
		return all[i], true, nil
	}
	return ip, false, nil
}

// checkBorrowed holds a floating IP that is asked for by id against the other wishes.
func checkBorrowed(ip simcloud.FloatingIP, f family, other simcloud.FloatingIP, a addressing) error {
	switch address := a.Asked[f]; {
	case !slices.Contains(a.Families, f):
		return wrongFloatingIP(ip.ID, "%s is %s, and spec.ipFamilies has %s alone", ip.Address, f, a.Families[0])
	case other.ID != "" && other.ID != ip.ID:
		return wrongFloatingIP(ip.ID, "it and %s are both %s: at most one floating IP of each family is allowed", other.ID, f)
	case address != "" && address != ip.Address:
		return wrongFloatingIP(ip.ID, "it has the address %s, and the Service asks for %s, too", ip.Address, address)
	default:
		return nil
	}
}

func wrongFloatingIP(id simcloud.ID, format string, args ...any) error {
	return simcloud.Errorf(simcloud.Invalid, simcloud.Ref(simcloud.KindFloatingIP, id),
		"annotation %s: %s", annotation.FloatingIPs, fmt.Sprintf(format, args...))
}

// claim makes a floating IP that is asked for the Service's, unless it is
// already. One that has another owner, or leads somewhere else, is never taken.
func (l *Balancers) claim(ctx context.Context, want desired, ip simcloud.FloatingIP, lb simcloud.LoadBalancer) (_ simcloud.FloatingIP, changed bool, err error) {
	ref := simcloud.Ref(simcloud.KindFloatingIP, ip.ID)
	owner, owned := ip.Labels[label.ServiceUID]
	switch {
	case label.OwnedBy(want.owner(), ip.Labels):
		l.claims.note(want.owner(), ip.ID, nil)
		return ip, false, nil
	case owned:
		return ip, false, simcloud.Errorf(simcloud.InUse, ref, "%s is used by the Service %s (UID %s)", ip.Address, ip.Labels[label.ServiceName], owner)
	case ip.AttachedTo != (simcloud.Attachment{}) && ip.AttachedTo != attachment(lb):
		return ip, false, simcloud.Errorf(simcloud.InUse, ref, "%s is attached to %s: detach it, or ask for another",
			ip.Address, simcloud.Ref(ip.AttachedTo.Kind, ip.AttachedTo.ID))
	}
	labels := label.With(ip.Labels, label.OfBorrower(want.Labels))
	// The version guards against a second Service that claims it at the same time.
	result, err := l.api.UpdateFloatingIP(ctx, ip.ID, simcloud.FloatingIPUpdate{Labels: &labels}, simcloud.IfVersion(ip.Version))
	l.claims.note(want.owner(), ip.ID, err)
	if err != nil {
		return ip, true, fmt.Errorf("borrow floating IP %s: %w", ip.ID, err)
	}
	return result.Resource, true, nil
}

// giveBack takes the labels of a Service off a floating IP that it had borrowed.
func (l *Balancers) giveBack(ctx context.Context, ip simcloud.FloatingIP) error {
	owner := ip.Labels[label.ServiceUID]
	ip, err := l.api.GetFloatingIP(ctx, ip.ID) // detaching has changed it
	switch {
	case call.IsGone(err) || err == nil && ip.Labels[label.ServiceUID] != owner:
		return nil
	case err != nil:
		return fmt.Errorf("read floating IP %s: %w", ip.ID, err)
	}
	labels := maps.Clone(ip.Labels)
	for key := range label.OfBorrower(labels) {
		delete(labels, key)
	}
	if _, err := l.api.UpdateFloatingIP(ctx, ip.ID, simcloud.FloatingIPUpdate{Labels: &labels}, simcloud.IfVersion(ip.Version)); call.IgnoreGone(err) != nil {
		return fmt.Errorf("give back floating IP %s: %w", ip.ID, err)
	}
	return nil
}

// claims are the floating IPs whose claim had no answer. One that takes effect
// when its Service is gone would be lent out for ever.
type claims struct {
	now func() time.Time

	mu   sync.Mutex
	open map[types.UID]map[simcloud.ID]time.Time // when the answer was given up
}

// note takes how a claim ended. The version that a claim is for lets no second
// one have an effect once another change is seen; any other refusal says nothing
// of an earlier claim.
func (c *claims) note(owner types.UID, id simcloud.ID, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil, errors.Is(err, simcloud.Conflict), call.IsGone(err):
		if delete(c.open[owner], id); len(c.open[owner]) == 0 {
			delete(c.open, owner)
		}
		return
	case call.Refused(err):
		return
	}
	if c.open == nil {
		c.open = map[types.UID]map[simcloud.ID]time.Time{}
	}
	if c.open[owner] == nil {
		c.open[owner] = map[simcloud.ID]time.Time{}
	}
	c.open[owner][id] = c.now()
}

// overdue is an error while a claim may still take effect. What is old is forgotten.
func (c *claims) overdue(owner types.UID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, since := range c.open[owner] {
		if c.now().Sub(since) < call.UnsettledFor {
			return call.NotReady("the claim of %s had no answer, and may still take effect", simcloud.Ref(simcloud.KindFloatingIP, id))
		}
	}
	delete(c.open, owner)
	return nil
}

// settle forgets the claims of floating IPs that are listed as the owner's.
func (c *claims) settle(owner types.UID, listed []simcloud.FloatingIP) {
	for _, ip := range listed {
		c.note(owner, ip.ID, nil)
	}
}

// elsewhere reports that another client has attached a Service's floating IP to something else.
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
// own load balancers, or gives it back if it was borrowed. One that another client
// has attached to something else stays there.
func (l *Balancers) release(ctx context.Context, ip simcloud.FloatingIP, ours []simcloud.LoadBalancer, detach bool) error {
	leadsToUs := slices.ContainsFunc(ours, func(lb simcloud.LoadBalancer) bool { return attachment(lb) == ip.AttachedTo })
	if leadsToUs && detach {
		// The version is of when it led to us.
		if _, err := l.api.DetachFloatingIP(ctx, ip.ID, simcloud.IfVersion(ip.Version)); call.IgnoreGone(err) != nil {
			return fmt.Errorf("detach floating IP %s: %w", ip.ID, err)
		}
	}
	if borrowed(ip) {
		return l.giveBack(ctx, ip)
	}
	if ip.AttachedTo != (simcloud.Attachment{}) && !leadsToUs {
		return elsewhere(ip)
	}
	if _, err := l.api.DeleteFloatingIP(ctx, ip.ID); call.IgnoreGone(err) != nil {
		return fmt.Errorf("delete floating IP %s: %w", ip.ID, err)
	}
	return nil
}
