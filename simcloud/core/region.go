package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var zoneStates = []simcloud.ZoneState{simcloud.ZoneAvailable, simcloud.ZoneDegraded, simcloud.ZoneDown}

// ListRegions lists regions.
func (c *Cloud) ListRegions(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Region], error) {
	return list(ctx, c, store.Regions, opts, ofAll, zoneStates)
}

// GetRegion returns one region.
func (c *Cloud) GetRegion(ctx context.Context, id simcloud.ID) (simcloud.Region, error) {
	return get(ctx, c, store.Regions, id)
}

// CreateRegion makes a region.
func (m mutations) CreateRegion(ctx context.Context, spec simcloud.RegionSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Region], error) {
	req := request{verb: "CreateRegion", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.Region], err error) {
		r.Resource.State = simcloud.ZoneAvailable
		if r.Resource.Meta, err = newSharedMeta(t, store.Regions, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		return insert(t, store.Regions, r.Resource)
	})
}

// DeleteRegion removes a region that has no zones.
func (m mutations) DeleteRegion(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteRegion", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) { return removeUnused(t, store.Regions, id) })
}
