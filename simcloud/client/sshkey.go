package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListSSHKeys returns one page of keys.
func (c *Client) ListSSHKeys(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.SSHKey], error) {
	return list[simcloud.SSHKey](ctx, c, "ListSSHKeys", opts)
}

// GetSSHKey returns a key.
func (c *Client) GetSSHKey(ctx context.Context, id simcloud.ID) (simcloud.SSHKey, error) {
	return get[simcloud.SSHKey](ctx, c, "GetSSHKey", id)
}

// CreateSSHKey makes a key.
func (c *Client) CreateSSHKey(ctx context.Context, spec simcloud.SSHKeySpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error) {
	return mutate[simcloud.SSHKey](ctx, c, "CreateSSHKey", spec, opts)
}

// UpdateSSHKey changes the name and labels of a key.
func (c *Client) UpdateSSHKey(ctx context.Context, id simcloud.ID, update simcloud.SSHKeyUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error) {
	return mutate[simcloud.SSHKey](ctx, c, "UpdateSSHKey", update, opts, id)
}

// DeleteSSHKey deletes a key that no instance has.
func (c *Client) DeleteSSHKey(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteSSHKey", id, opts)
}

// AttachSSHKey adds a key to instances.
func (c *Client) AttachSSHKey(ctx context.Context, id simcloud.ID, to simcloud.SSHKeyTargets, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error) {
	return mutate[simcloud.SSHKey](ctx, c, "AttachSSHKey", to, opts, id)
}

// DetachSSHKey takes a key from instances.
func (c *Client) DetachSSHKey(ctx context.Context, id simcloud.ID, from simcloud.SSHKeyTargets, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error) {
	return mutate[simcloud.SSHKey](ctx, c, "DetachSSHKey", from, opts, id)
}
