package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListQuotas returns one page of quotas.
func (c *Client) ListQuotas(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Quota], error) {
	return list[simcloud.Quota](ctx, c, "ListQuotas", opts)
}

// GetQuota returns a quota.
func (c *Client) GetQuota(ctx context.Context, id simcloud.ID) (simcloud.Quota, error) {
	return get[simcloud.Quota](ctx, c, "GetQuota", id)
}

// SetQuota sets the limit of a quota.
func (c *Client) SetQuota(ctx context.Context, id simcloud.ID, spec simcloud.QuotaSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Quota], error) {
	return mutate[simcloud.Quota](ctx, c, "SetQuota", spec, opts, id)
}
