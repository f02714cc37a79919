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
func (c *Cloud) CreateZone(ctx context.Context, spec simcloud.ZoneSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Zone], error) {
	call := call{verb: "CreateZone", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (r simcloud.Result[simcloud.Zone], err error) {
		if !store.Regions.Has(w.tx, spec.Region) {
			return r, invalid(string(simcloud.KindZone), "region", "there is no region %q", spec.Region)
		}
		if err := w.knownTypes(spec.Capacity); err != nil {
			return r, err
		}
		zone := simcloud.Zone{Region: spec.Region, State: simcloud.ZoneAvailable, Capacity: copyCapacity(spec.Capacity)}
		if zone.Meta, err = share(w, store.Zones, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		return insert(w, store.Zones, zone, w.refreshRegionOf)
	})
}

// UpdateZone changes the capacity and the labels. What is there beyond a capacity stays.
func (c *Cloud) UpdateZone(
	ctx context.Context, id simcloud.ID, update simcloud.ZoneUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Zone], error) {
	call := call{verb: "UpdateZone", admin: true, ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (r simcloud.Result[simcloud.Zone], err error) {
		before, err := take(w, store.Zones, id)
		if err != nil {
			return r, err
		}
		after := before
		rename(&after.Meta, nil, update.Labels)
		if update.Capacity != nil {
			if err := w.knownTypes(*update.Capacity); err != nil {
				return r, err
			}
			after.Capacity = copyCapacity(*update.Capacity)
		}
		return replace(w, store.Zones, before, after)
	})
}

// DeleteZone removes a zone that nothing is in.
func (c *Cloud) DeleteZone(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteZone", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (simcloud.Operation, error) {
		zone, err := take(w, store.Zones, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := removeUnused(w, store.Zones, id)
		if err != nil {
			return op, err
		}
		return op, w.refreshRegionOf(zone)
	})
}

// knownTypes answers Invalid when a capacity names a type that is not there.
func (w *work) knownTypes(capacity map[simcloud.ID]int) error {
	for _, id := range slices.Sorted(maps.Keys(capacity)) {
		if !store.InstanceTypes.Has(w.tx, id) {
			return invalid(string(simcloud.KindZone), "capacity["+string(id)+"]", "there is no instance type %q", id)
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
func (w *work) forgetType(id simcloud.ID) error {
	zones, err := store.Zones.All(w.tx)
	if err != nil {
		return err
	}
	for _, zone := range zones {
		if _, named := zone.Capacity[id]; !named {
			continue
		}
		delete(zone.Capacity, id)
		if err := store.Zones.Update(w.tx, w.now, &zone); err != nil {
			return err
		}
	}
	return nil
}
