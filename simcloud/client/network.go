package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListNetworks returns one page of networks.
func (c *Client) ListNetworks(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Network], error) {
	return list[simcloud.Network](ctx, c, "ListNetworks", opts)
}

// GetNetwork returns a network.
func (c *Client) GetNetwork(ctx context.Context, id simcloud.ID) (simcloud.Network, error) {
	return get[simcloud.Network](ctx, c, "GetNetwork", id)
}

// CreateNetwork makes a network.
func (c *Client) CreateNetwork(ctx context.Context, spec simcloud.NetworkSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Network], error) {
	return mutate[simcloud.Network](ctx, c, "CreateNetwork", spec, opts)
}

// DeleteNetwork deletes a network that nothing is in.
func (c *Client) DeleteNetwork(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteNetwork", id, opts)
}
