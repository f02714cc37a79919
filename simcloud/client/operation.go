package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListOperations returns one page of operations.
func (c *Client) ListOperations(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Operation], error) {
	return list[simcloud.Operation](ctx, c, "ListOperations", opts)
}

// GetOperation returns an operation.
func (c *Client) GetOperation(ctx context.Context, id simcloud.ID) (simcloud.Operation, error) {
	return get[simcloud.Operation](ctx, c, "GetOperation", id)
}

// WaitOperation returns the operation once it has ended, however long that takes.
func (c *Client) WaitOperation(ctx context.Context, id simcloud.ID) (simcloud.Operation, error) {
	return get[simcloud.Operation](ctx, c, "WaitOperation", id)
}
