package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListRegions returns one page of regions.
func (c *Client) ListRegions(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Region], error) {
	return list[simcloud.Region](ctx, c, "ListRegions", opts)
}

// GetRegion returns a region.
func (c *Client) GetRegion(ctx context.Context, id simcloud.ID) (simcloud.Region, error) {
	return get[simcloud.Region](ctx, c, "GetRegion", id)
}

// CreateRegion makes a region.
func (c *Client) CreateRegion(ctx context.Context, spec simcloud.RegionSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Region], error) {
	return mutate[simcloud.Region](ctx, c, "CreateRegion", spec, opts)
}

// DeleteRegion deletes a region without zones.
func (c *Client) DeleteRegion(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteRegion", id, opts)
}
