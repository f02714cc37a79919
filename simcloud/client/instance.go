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

// RebuildInstance makes the machine of an instance anew.
func (c *Client) RebuildInstance(ctx context.Context, id simcloud.ID, rebuild simcloud.InstanceRebuild, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "RebuildInstance", rebuild, opts, id)
}

// ResizeInstance gives a stopped instance another type.
func (c *Client) ResizeInstance(ctx context.Context, id simcloud.ID, resize simcloud.InstanceResize, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "ResizeInstance", resize, opts, id)
}

// MigrateInstance moves an instance to another zone.
func (c *Client) MigrateInstance(ctx context.Context, id simcloud.ID, migration simcloud.InstanceMigration, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "MigrateInstance", migration, opts, id)
}

// SuspendInstance halts a running instance.
func (c *Client) SuspendInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "SuspendInstance", nil, opts, id)
}

// AddInstanceAddress gives an instance one more address.
func (c *Client) AddInstanceAddress(ctx context.Context, id simcloud.ID, spec simcloud.AddressSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "AddInstanceAddress", spec, opts, id)
}

// RemoveInstanceAddress takes an address from an instance.
func (c *Client) RemoveInstanceAddress(ctx context.Context, id, address simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return mutate[simcloud.Instance](ctx, c, "RemoveInstanceAddress", nil, opts, id, address)
}
