package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// AttachFloatingIP leads the address to an instance or a public load balancer.
func (m mutations) AttachFloatingIP(
	ctx context.Context, id simcloud.ID, to simcloud.Attachment, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.FloatingIP], error) {
	req := request{verb: "AttachFloatingIP", ids: []simcloud.ID{id}, spec: to, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (floatingIPResult, error) {
		before, err := getForUpdate(t, store.FloatingIPs, id)
		if err != nil {
			return floatingIPResult{}, err
		}
		if err := t.canAttach("", to); err != nil {
			return floatingIPResult{}, err
		}
		if before.AttachedTo.ID != "" && before.AttachedTo != to {
			return floatingIPResult{}, attached(before)
		}
		after := before
		attachTo(&after, to)
		return replace(t, store.FloatingIPs, before, after, t.addVIP)
	})
}

// DetachFloatingIP frees the address from what it leads to.
func (m mutations) DetachFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error) {
	req := request{verb: "DetachFloatingIP", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (floatingIPResult, error) {
		before, err := getForUpdate(t, store.FloatingIPs, id)
		if err != nil {
			return floatingIPResult{}, err
		}
		if err := t.idleEnd(before.AttachedTo, false); err != nil {
			return floatingIPResult{}, err
		}
		after := before
		attachTo(&after, simcloud.Attachment{})
		return replace(t, store.FloatingIPs, before, after, func(simcloud.FloatingIP) error { return t.removeVIP(before) })
	})
}

func attachTo(fip *simcloud.FloatingIP, to simcloud.Attachment) {
	fip.AttachedTo, fip.State = to, simcloud.FloatingIPAttached
	if to.ID == "" {
		fip.State = simcloud.FloatingIPAvailable
	}
}

// idleEnd answers Locked while an operation runs on what a floating IP leads
// to, unless the same Atomic has started it, or the cloud lets floating IPs change meanwhile: it goes on
// beside the floating IP. A new floating IP never leads to what is being deleted.
func (t *txn) idleEnd(of simcloud.Attachment, attaches bool) error {
	var meta *simcloud.Meta
	var deleting bool
	switch of.Kind {
	case simcloud.KindInstance:
		instance, err := store.Instances.Get(t.tx, of.ID)
		if err != nil {
			return err
		}
		meta, deleting = &instance.Meta, instance.State == simcloud.InstanceTerminating
	case simcloud.KindLoadBalancer:
		lb, err := store.LoadBalancers.Get(t.tx, of.ID)
		if err != nil {
			return err
		}
		meta, deleting = &lb.Meta, lb.State == simcloud.LoadBalancerDeleting
	default:
		return nil
	}
	if t.owns(meta) || t.changesWhileBusy(simcloud.KindFloatingIP) && (!attaches || !deleting) {
		return nil
	}
	return t.idle(simcloud.Ref(of.Kind, of.ID), meta)
}

// canAttach judges what a floating IP is to be attached to; path leads to it in the request.
func (t *txn) canAttach(path string, to simcloud.Attachment) error {
	var err error
	kind := string(simcloud.KindFloatingIP)
	switch to.Kind {
	case simcloud.KindInstance:
		_, err = find(t.tx, store.Instances, t.caller.Project, to.ID)
	case simcloud.KindLoadBalancer:
		var lb simcloud.LoadBalancer
		lb, err = find(t.tx, store.LoadBalancers, t.caller.Project, to.ID)
		if err == nil && lb.Scheme != simcloud.SchemePublic {
			return invalid(kind, path+"id", "%s is %s: only a public load balancer takes floating IPs", to.ID, lb.Scheme)
		}
	default:
		return nil
	}
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return invalid(kind, path+"id", "%s not found", simcloud.Ref(to.Kind, to.ID))
	} else if err != nil {
		return err
	}
	return t.idleEnd(to, true)
}

// addVIP lets the load balancer that a floating IP is attached to listen on its address.
func (t *txn) addVIP(fip simcloud.FloatingIP) error {
	return t.editVIPs(fip.AttachedTo, func(vips []simcloud.VIP) []simcloud.VIP {
		return append(vips, simcloud.VIP{Address: fip.Address, FloatingIP: fip.ID})
	})
}

func (t *txn) removeVIP(fip simcloud.FloatingIP) error {
	return t.editVIPs(fip.AttachedTo, func(vips []simcloud.VIP) []simcloud.VIP {
		return slices.DeleteFunc(vips, func(vip simcloud.VIP) bool { return vip.FloatingIP == fip.ID })
	})
}

func (t *txn) editVIPs(of simcloud.Attachment, edit func([]simcloud.VIP) []simcloud.VIP) error {
	if of.Kind != simcloud.KindLoadBalancer {
		return nil
	}
	lb, err := store.LoadBalancers.Get(t.tx, of.ID)
	if err != nil {
		return err
	}
	lb.VIPs = edit(lb.VIPs)
	return store.LoadBalancers.Update(t.tx, t.now, &lb)
}

// detachAll detaches the floating IPs of a resource that is deleted. Its own VIPs are deleted with it.
func (t *txn) detachAll(ref store.Ref) error {
	fips, err := store.FloatingIPs.Referring(t.tx, ref)
	if err != nil {
		return err
	}
	for _, fip := range fips {
		attachTo(&fip, simcloud.Attachment{})
		if err := store.FloatingIPs.Update(t.tx, t.now, &fip); err != nil {
			return err
		}
	}
	return nil
}
