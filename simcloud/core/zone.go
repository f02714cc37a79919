package core

import (
	"context"
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// ListZones lists zones.
func (c *Cloud) ListZones(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Zone], error) {
	return list(ctx, c, store.Zones, opts, ofAll, zoneStates)
}

// GetZone returns one zone.
func (c *Cloud) GetZone(ctx context.Context, id simcloud.ID) (simcloud.Zone, error) {
	return get(ctx, c, store.Zones, id)
}

// CreateZone makes a zone in a region.
func (m mutations) CreateZone(ctx context.Context, spec simcloud.ZoneSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Zone], error) {
	req := request{verb: "CreateZone", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.Zone], err error) {
		if !store.Regions.Has(t.tx, spec.Region) {
			return r, invalid(string(simcloud.KindZone), "region", "region %q not found", spec.Region)
		}
		if err := t.knownTypes(spec.Capacity); err != nil {
			return r, err
		}
		zone := simcloud.Zone{Region: spec.Region, State: simcloud.ZoneAvailable, Capacity: copyCapacity(spec.Capacity)}
		if zone.Meta, err = newSharedMeta(t, store.Zones, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		return insert(t, store.Zones, zone, t.refreshRegionOf)
	})
}

// UpdateZone changes the capacity and the labels. What is there beyond a capacity stays.
func (m mutations) UpdateZone(
	ctx context.Context, id simcloud.ID, update simcloud.ZoneUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Zone], error) {
	req := request{verb: "UpdateZone", admin: true, ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.Zone], err error) {
		before, err := getForUpdate(t, store.Zones, id)
		if err != nil {
			return r, err
		}
		after := before
		setLabels(&after.Meta, update.Labels)
		if update.Capacity != nil {
			if err := t.knownTypes(*update.Capacity); err != nil {
				return r, err
			}
			after.Capacity = copyCapacity(*update.Capacity)
		}
		return replace(t, store.Zones, before, after)
	})
}

// DeleteZone removes a zone that nothing is in.
func (m mutations) DeleteZone(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteZone", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		zone, err := getForUpdate(t, store.Zones, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := removeUnused(t, store.Zones, id)
		if err != nil {
			return op, err
		}
		return op, t.refreshRegionOf(zone)
	})
}

// knownTypes answers Invalid when a capacity names a type that is not there.
func (t *txn) knownTypes(capacity map[simcloud.ID]int) error {
	for _, id := range slices.Sorted(maps.Keys(capacity)) {
		if !store.InstanceTypes.Has(t.tx, id) {
			return invalid(string(simcloud.KindZone), "capacity["+string(id)+"]", "instance type %q not found", id)
		}
	}
	return nil
}

// copyCapacity returns a capacity as it comes out of the store: never empty but nil.
func copyCapacity(capacity map[simcloud.ID]int) map[simcloud.ID]int {
	if len(capacity) == 0 {
		return nil
	}
	return maps.Clone(capacity)
}

// forgetType takes a type that goes out of the capacities of all zones.
func (t *txn) forgetType(id simcloud.ID) error {
	zones, err := store.Zones.All(t.tx)
	if err != nil {
		return err
	}
	for _, zone := range zones {
		if _, named := zone.Capacity[id]; !named {
			continue
		}
		delete(zone.Capacity, id)
		if err := store.Zones.Update(t.tx, t.now, &zone); err != nil {
			return err
		}
	}
	return nil
}
