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

// UpdateZone changes the capacity and labels of a zone.
func (c *Client) UpdateZone(ctx context.Context, id simcloud.ID, update simcloud.ZoneUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Zone], error) {
	return mutate[simcloud.Zone](ctx, c, "UpdateZone", update, opts, id)
}

// SetZoneState takes a zone down or brings it up.
func (c *Client) SetZoneState(ctx context.Context, id simcloud.ID, spec simcloud.ZoneStateSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Zone], error) {
	return mutate[simcloud.Zone](ctx, c, "SetZoneState", spec, opts, id)
}
