package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListSubnets returns one page of subnets.
func (c *Client) ListSubnets(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Subnet], error) {
	return list[simcloud.Subnet](ctx, c, "ListSubnets", opts)
}

// GetSubnet returns a subnet.
func (c *Client) GetSubnet(ctx context.Context, id simcloud.ID) (simcloud.Subnet, error) {
	return get[simcloud.Subnet](ctx, c, "GetSubnet", id)
}

// CreateSubnet makes a subnet.
func (c *Client) CreateSubnet(ctx context.Context, spec simcloud.SubnetSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Subnet], error) {
	return mutate[simcloud.Subnet](ctx, c, "CreateSubnet", spec, opts)
}

// DeleteSubnet deletes a subnet that nothing is in.
func (c *Client) DeleteSubnet(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteSubnet", id, opts)
}
