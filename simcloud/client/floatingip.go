package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListFloatingIPs returns one page of floating IPs.
func (c *Client) ListFloatingIPs(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIP], error) {
	return list[simcloud.FloatingIP](ctx, c, "ListFloatingIPs", opts)
}

// GetFloatingIP returns a floating IP.
func (c *Client) GetFloatingIP(ctx context.Context, id simcloud.ID) (simcloud.FloatingIP, error) {
	return get[simcloud.FloatingIP](ctx, c, "GetFloatingIP", id)
}

// CreateFloatingIP makes a floating IP.
func (c *Client) CreateFloatingIP(ctx context.Context, spec simcloud.FloatingIPSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error) {
	return mutate[simcloud.FloatingIP](ctx, c, "CreateFloatingIP", spec, opts)
}

// UpdateFloatingIP changes the name and labels of a floating IP.
func (c *Client) UpdateFloatingIP(ctx context.Context, id simcloud.ID, update simcloud.FloatingIPUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error) {
	return mutate[simcloud.FloatingIP](ctx, c, "UpdateFloatingIP", update, opts, id)
}

// DeleteFloatingIP deletes a floating IP that is not attached.
func (c *Client) DeleteFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteFloatingIP", id, opts)
}

// AttachFloatingIP attaches a floating IP.
func (c *Client) AttachFloatingIP(ctx context.Context, id simcloud.ID, to simcloud.Attachment, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error) {
	return mutate[simcloud.FloatingIP](ctx, c, "AttachFloatingIP", to, opts, id)
}

// DetachFloatingIP detaches a floating IP.
func (c *Client) DetachFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error) {
	return mutate[simcloud.FloatingIP](ctx, c, "DetachFloatingIP", nil, opts, id)
}
