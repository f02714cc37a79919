package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListTokens returns one page of tokens, without their secrets.
func (c *Client) ListTokens(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Token], error) {
	return list[simcloud.Token](ctx, c, "ListTokens", opts)
}

// GetToken returns a token without its secret.
func (c *Client) GetToken(ctx context.Context, id simcloud.ID) (simcloud.Token, error) {
	return get[simcloud.Token](ctx, c, "GetToken", id)
}

// CreateToken makes a token; its secret is in the answer alone.
func (c *Client) CreateToken(ctx context.Context, spec simcloud.TokenSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Token], error) {
	return mutate[simcloud.Token](ctx, c, "CreateToken", spec, opts)
}

// RotateToken gives a token a new secret.
func (c *Client) RotateToken(ctx context.Context, id simcloud.ID, rotation simcloud.TokenRotation, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Token], error) {
	return mutate[simcloud.Token](ctx, c, "RotateToken", rotation, opts, id)
}

// RevokeToken ends a token for good.
func (c *Client) RevokeToken(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Token], error) {
	return mutate[simcloud.Token](ctx, c, "RevokeToken", nil, opts, id)
}

// DeleteToken deletes a token.
func (c *Client) DeleteToken(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteToken", id, opts)
}
