package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListZones returns one page of zones.
func (c *Client) ListZones(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Zone], error) {
	return list[simcloud.Zone](ctx, c, "ListZones", opts)
}

// GetZone returns a zone.
func (c *Client) GetZone(ctx context.Context, id simcloud.ID) (simcloud.Zone, error) {
	return get[simcloud.Zone](ctx, c, "GetZone", id)
}

// CreateZone makes a zone.
func (c *Client) CreateZone(ctx context.Context, spec simcloud.ZoneSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Zone], error) {
	return mutate[simcloud.Zone](ctx, c, "CreateZone", spec, opts)
}

// DeleteZone deletes a zone without instances.
func (c *Client) DeleteZone(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteZone", id, opts)
}
