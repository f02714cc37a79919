package ccm

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// A floating IP that somebody else has made can be borrowed. A label says by
// which Service, before anything is done with it: so no second Service takes it
// while the first one's load balancer is being replaced, and after a crash it
// is known what to give back. It is never deleted.

// borrowed reports whether a Service's floating IP was made by somebody else.
func borrowed(ip simcloud.FloatingIP) bool { return ip.Labels[LabelBorrowed] == borrowedValue }

// askedFor returns the floating IPs that there are of those that the Service
// asks for, whoever's they are. An address that none has is not in the result.
func (l *loadBalancers) askedFor(ctx context.Context, want desired, own []simcloud.FloatingIP) (map[family]simcloud.FloatingIP, error) {
	asked := map[family]simcloud.FloatingIP{}
	for _, id := range want.Addresses.Borrowed {
		ip, err := l.byID(ctx, id, own)
		if err != nil {
			return nil, err
		}
		f := familyOfText(ip.Address)
		if err := judgeBorrowed(ip, f, asked[f], want.Addresses); err != nil {
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

func (l *loadBalancers) byID(ctx context.Context, id simcloud.ID, own []simcloud.FloatingIP) (simcloud.FloatingIP, error) {
	if i := slices.IndexFunc(own, func(ip simcloud.FloatingIP) bool { return ip.ID == id }); i >= 0 {
		return own[i], nil
	}
	ip, err := l.api.GetFloatingIP(ctx, id)
	switch {
	case isGone(err):
		return ip, wrongFloatingIP(id, "there is no such floating IP")
	case err != nil:
		return ip, fmt.Errorf("read floating IP %s: %w", id, err)
	}
	return ip, nil
}

// byAddress looks through all floating IPs if need be: the cloud finds none by its address.
func (l *loadBalancers) byAddress(ctx context.Context, address string, own []simcloud.FloatingIP) (ip simcloud.FloatingIP, found bool, err error) {
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

// judgeBorrowed holds a floating IP that is asked for by id against the other wishes.
func judgeBorrowed(ip simcloud.FloatingIP, f family, other simcloud.FloatingIP, a addressing) error {
	switch address := a.Asked[f]; {
	case !slices.Contains(a.Families, f):
		return wrongFloatingIP(ip.ID, "%s is %s, and spec.ipFamilies has %s alone", ip.Address, f, a.Families[0])
	case other.ID != "" && other.ID != ip.ID:
		return wrongFloatingIP(ip.ID, "it and %s are both %s: one floating IP of each family is right", other.ID, f)
	case address != "" && address != ip.Address:
		return wrongFloatingIP(ip.ID, "it has the address %s, and the Service asks for %s, too", ip.Address, address)
	default:
		return nil
	}
}

func wrongFloatingIP(id simcloud.ID, format string, args ...any) error {
	return simcloud.Errorf(simcloud.Invalid, simcloud.Ref(simcloud.KindFloatingIP, id),
		"annotation %s: %s", AnnotationFloatingIPs, fmt.Sprintf(format, args...))
}

// claim makes a floating IP that is asked for the Service's, unless it is
// already. One that is somebody's, or leads somewhere else, is never taken.
func (l *loadBalancers) claim(ctx context.Context, want desired, ip simcloud.FloatingIP, lb simcloud.LoadBalancer) (_ simcloud.FloatingIP, changed bool, err error) {
	ref := simcloud.Ref(simcloud.KindFloatingIP, ip.ID)
	owner, owned := ip.Labels[LabelServiceUID]
	switch {
	case ownedBy(ownerOf(want), ip.Labels):
		l.claims.note(ownerOf(want), ip.ID, nil)
		return ip, false, nil
	case owned:
		return ip, false, simcloud.Errorf(simcloud.InUse, ref, "%s is used by the Service %s (UID %s)", ip.Address, ip.Labels[LabelServiceName], owner)
	case ip.AttachedTo != (simcloud.Attachment{}) && ip.AttachedTo != attachment(lb):
		return ip, false, simcloud.Errorf(simcloud.InUse, ref, "%s is attached to %s: detach it, or ask for another",
			ip.Address, simcloud.Ref(ip.AttachedTo.Kind, ip.AttachedTo.ID))
	}
	labels := withLabels(ip.Labels, borrowLabels(want.Labels))
	// The version guards against a second Service that claims it at the same time.
	result, err := l.api.UpdateFloatingIP(ctx, ip.ID, simcloud.FloatingIPUpdate{Labels: &labels}, simcloud.IfVersion(ip.Version))
	l.claims.note(ownerOf(want), ip.ID, err)
	if err != nil {
		return ip, true, fmt.Errorf("borrow floating IP %s: %w", ip.ID, err)
	}
	return result.Resource, true, nil
}

// borrowLabels say whose a floating IP is for the time being. Those of a share
// are found by more than the owner.
func borrowLabels(owner map[string]string) map[string]string {
	labels := map[string]string{LabelBorrowed: borrowedValue}
	keys := []string{LabelServiceUID, LabelServiceName}
	if owner[LabelShare] != "" {
		keys = append(keys, LabelShare, LabelCluster)
	}
	for _, key := range keys {
		labels[key] = owner[key]
	}
	return labels
}

// giveBack takes the labels of a Service off a floating IP that it had borrowed.
func (l *loadBalancers) giveBack(ctx context.Context, ip simcloud.FloatingIP) error {
	owner := ip.Labels[LabelServiceUID]
	ip, err := l.api.GetFloatingIP(ctx, ip.ID) // detaching has changed it
	switch {
	case isGone(err) || err == nil && ip.Labels[LabelServiceUID] != owner:
		return nil
	case err != nil:
		return fmt.Errorf("read floating IP %s: %w", ip.ID, err)
	}
	labels := maps.Clone(ip.Labels)
	for key := range borrowLabels(labels) {
		delete(labels, key)
	}
	if _, err := l.api.UpdateFloatingIP(ctx, ip.ID, simcloud.FloatingIPUpdate{Labels: &labels}, simcloud.IfVersion(ip.Version)); ignoreGone(err) != nil {
		return fmt.Errorf("give back floating IP %s: %w", ip.ID, err)
	}
	return nil
}
