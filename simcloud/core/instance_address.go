package core

import (
	"context"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// AddInstanceAddress gives an instance one more address, after those that it has.
func (m mutations) AddInstanceAddress(
	ctx context.Context, id simcloud.ID, spec simcloud.AddressSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	req := request{verb: "AddInstanceAddress", ids: []simcloud.ID{id}, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		before, err := getForUpdate(t, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		address, err := t.addressFor(before, spec)
		if err != nil {
			return instanceResult{}, err
		}
		after := before
		after.Addresses = append(slices.Clone(before.Addresses), address)
		return replace(t, store.Instances, before, after)
	})
}

// RemoveInstanceAddress takes an address from an instance; NotFound when it does not have it.
func (m mutations) RemoveInstanceAddress(
	ctx context.Context, id simcloud.ID, address simcloud.ID, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	req := request{verb: "RemoveInstanceAddress", ids: []simcloud.ID{id, address}, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		before, err := getForUpdate(t, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		i, err := removable(before, address)
		if err != nil {
			return instanceResult{}, err
		}
		after := before
		after.Addresses = slices.Delete(slices.Clone(before.Addresses), i, i+1)
		return replace(t, store.Instances, before, after, func(simcloud.Instance) error {
			return t.releaseAddress(before, before.Addresses[i])
		})
	})
}

// removable returns which of its addresses an instance can do without; it is
// known by any of its spellings.
func removable(instance simcloud.Instance, text simcloud.ID) (int, error) {
	ref := simcloud.Ref(simcloud.KindInstance, instance.ID)
	addr, err := netip.ParseAddr(string(text))
	i := slices.IndexFunc(instance.Addresses, func(a simcloud.Address) bool { return a.Address == addr.String() })
	if err != nil || i < 0 {
		return 0, simcloud.Errorf(simcloud.NotFound, ref, "it has no address %q", text)
	}
	removed := instance.Addresses[i]
	left := 0
	for _, a := range instance.Addresses {
		if a.Scope == removed.Scope && a.Network == removed.Network {
			left++
		}
	}
	switch {
	case removed.Scope == simcloud.ScopePublic || left > 1:
		return i, nil
	case removed.Network != "":
		return 0, simcloud.Errorf(simcloud.Conflict, ref, "%s is its last address of %s: detach the network", addr, removed.Network)
	}
	return 0, simcloud.Errorf(simcloud.Conflict, ref, "%s is its last private address of its own network", addr)
}
