package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var floatingIPStates = []simcloud.FloatingIPState{simcloud.FloatingIPAvailable, simcloud.FloatingIPAttached}

type floatingIPResult = simcloud.Result[simcloud.FloatingIP]

// ListFloatingIPs lists floating IPs.
func (c *Cloud) ListFloatingIPs(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIP], error) {
	return list(ctx, c, store.FloatingIPs, opts, ofProject, floatingIPStates)
}

// GetFloatingIP returns one floating IP.
func (c *Cloud) GetFloatingIP(ctx context.Context, id simcloud.ID) (simcloud.FloatingIP, error) {
	return get(ctx, c, store.FloatingIPs, id)
}

// CreateFloatingIP takes an address out of a pool.
func (m mutations) CreateFloatingIP(
	ctx context.Context, spec simcloud.FloatingIPSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.FloatingIP], error) {
	req := request{verb: "CreateFloatingIP", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (floatingIPResult, error) {
		if err := t.canAttach("attachedTo.", spec.AttachedTo); err != nil {
			return floatingIPResult{}, err
		}
		from, err := t.floatingPool(spec)
		if err != nil {
			return floatingIPResult{}, err
		}
		fip := simcloud.FloatingIP{State: simcloud.FloatingIPAvailable, Pool: from.name, PTR: spec.PTR, Options: copyLabels(spec.Options)}
		if fip.Meta, err = newMeta(t, store.FloatingIPs, spec.Name, spec.Labels); err != nil {
			return floatingIPResult{}, err
		}
		fip.Protected = spec.Protected
		if fip.Address, err = t.floatingAddress(fip.ID, from, spec.Address); err != nil {
			return floatingIPResult{}, err
		}
		attachTo(&fip, spec.AttachedTo)
		return insert(t, store.FloatingIPs, fip, t.addVIP)
	})
}

// floatingAddress hands out the address that is asked for, or else the next.
func (t *txn) floatingAddress(id simcloud.ID, from pool, wanted string) (string, error) {
	owner := store.Ref{Kind: simcloud.KindFloatingIP, ID: id}
	if wanted == "" {
		return t.allocate(from, owner)
	}
	return t.claimFrom([]pool{from}, wanted, owner)
}

// UpdateFloatingIP changes the name, the labels, the protection, the name in reverse DNS and the options.
func (m mutations) UpdateFloatingIP(
	ctx context.Context, id simcloud.ID, update simcloud.FloatingIPUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.FloatingIP], error) {
	req := request{verb: "UpdateFloatingIP", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (floatingIPResult, error) {
		before, err := getForUpdate(t, store.FloatingIPs, id)
		if err != nil {
			return floatingIPResult{}, err
		}
		after := before
		if err := rename(t, store.FloatingIPs, &after.Meta, update.Name, update.Labels); err != nil {
			return floatingIPResult{}, err
		}
		protect(&after.Meta, update.Protected)
		set(&after.PTR, update.PTR)
		if update.Options != nil {
			after.Options = copyLabels(*update.Options)
		}
		return replace(t, store.FloatingIPs, before, after)
	})
}

// DeleteFloatingIP gives the address back to its pool.
func (m mutations) DeleteFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteFloatingIP", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		fip, err := getForDeletion(t, store.FloatingIPs, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		if fip.AttachedTo.ID != "" {
			return simcloud.Operation{}, attached(fip)
		}
		if err := t.releaseFloating(fip.Pool, fip.Address); err != nil {
			return simcloud.Operation{}, err
		}
		return removeUnused(t, store.FloatingIPs, id)
	})
}

func attached(fip simcloud.FloatingIP) error {
	return simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindFloatingIP, fip.ID),
		"it is attached to %s: detach it first", simcloud.Ref(fip.AttachedTo.Kind, fip.AttachedTo.ID))
}
