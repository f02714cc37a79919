package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListInstanceTypes returns one page of instance types.
func (c *Client) ListInstanceTypes(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.InstanceType], error) {
	return list[simcloud.InstanceType](ctx, c, "ListInstanceTypes", opts)
}

// GetInstanceType returns an instance type.
func (c *Client) GetInstanceType(ctx context.Context, id simcloud.ID) (simcloud.InstanceType, error) {
	return get[simcloud.InstanceType](ctx, c, "GetInstanceType", id)
}

// CreateInstanceType makes an instance type.
func (c *Client) CreateInstanceType(ctx context.Context, spec simcloud.InstanceTypeSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.InstanceType], error) {
	return mutate[simcloud.InstanceType](ctx, c, "CreateInstanceType", spec, opts)
}

// DeleteInstanceType deletes an instance type that no instance has.
func (c *Client) DeleteInstanceType(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteInstanceType", id, opts)
}
