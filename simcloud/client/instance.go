package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListInstances returns one page of instances.
func (c *Client) ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	return list[simcloud.Instance](ctx, c, "ListInstances", opts)
}

// GetInstance returns an instance.
func (c *Client) GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	return get[simcloud.Instance](ctx, c, "GetInstance", id)
}

// CreateInstance makes an instance.
func (c *Client) CreateInstance(ctx context.Context, spec simcloud.InstanceSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "CreateInstance", spec, opts)
}

// UpdateInstance changes the name and labels of an instance.
func (c *Client) UpdateInstance(ctx context.Context, id simcloud.ID, update simcloud.InstanceUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "UpdateInstance", update, opts, id)
}

// DeleteInstance deletes an instance.
func (c *Client) DeleteInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteInstance", id, opts)
}

// StartInstance starts a stopped instance.
func (c *Client) StartInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "StartInstance", nil, opts, id)
}

// StopInstance stops a running instance.
func (c *Client) StopInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "StopInstance", nil, opts, id)
}

// RebootInstance stops and starts a running instance.
func (c *Client) RebootInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "RebootInstance", nil, opts, id)
}

// RecreateInstance replaces an instance by a new one with the same name.
func (c *Client) RecreateInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "RecreateInstance", nil, opts, id)
}
