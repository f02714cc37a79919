package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListFloatingIPPools returns one page of pools.
func (c *Client) ListFloatingIPPools(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIPPool], error) {
	return list[simcloud.FloatingIPPool](ctx, c, "ListFloatingIPPools", opts)
}

// GetFloatingIPPool returns a pool.
func (c *Client) GetFloatingIPPool(ctx context.Context, id simcloud.ID) (simcloud.FloatingIPPool, error) {
	return get[simcloud.FloatingIPPool](ctx, c, "GetFloatingIPPool", id)
}

// CreateFloatingIPPool makes a pool.
func (c *Client) CreateFloatingIPPool(ctx context.Context, spec simcloud.FloatingIPPoolSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIPPool], error) {
	return mutate[simcloud.FloatingIPPool](ctx, c, "CreateFloatingIPPool", spec, opts)
}

// DeleteFloatingIPPool deletes a pool that no floating IP is from.
func (c *Client) DeleteFloatingIPPool(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteFloatingIPPool", id, opts)
}
