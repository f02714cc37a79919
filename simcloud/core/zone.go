package core

import (
	"context"

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
		zone := simcloud.Zone{Region: spec.Region, State: simcloud.ZoneAvailable}
		if zone.Meta, err = share(w, store.Zones, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		return insert(w, store.Zones, zone)
	})
}

// DeleteZone removes a zone that has no instances.
func (c *Cloud) DeleteZone(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteZone", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (simcloud.Operation, error) { return removeUnused(w, store.Zones, id) })
}
