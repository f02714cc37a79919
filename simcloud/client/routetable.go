package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListRouteTables returns one page of route tables.
func (c *Client) ListRouteTables(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.RouteTable], error) {
	return list[simcloud.RouteTable](ctx, c, "ListRouteTables", opts)
}

// GetRouteTable returns a route table.
func (c *Client) GetRouteTable(ctx context.Context, id simcloud.ID) (simcloud.RouteTable, error) {
	return get[simcloud.RouteTable](ctx, c, "GetRouteTable", id)
}

// CreateRouteTable makes a route table.
func (c *Client) CreateRouteTable(ctx context.Context, spec simcloud.RouteTableSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error) {
	return mutate[simcloud.RouteTable](ctx, c, "CreateRouteTable", spec, opts)
}

// UpdateRouteTable changes a route table, not its routes.
func (c *Client) UpdateRouteTable(ctx context.Context, id simcloud.ID, update simcloud.RouteTableUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error) {
	return mutate[simcloud.RouteTable](ctx, c, "UpdateRouteTable", update, opts, id)
}

// DeleteRouteTable deletes a route table without routes.
func (c *Client) DeleteRouteTable(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteRouteTable", id, opts)
}

// CreateRoute adds a route to a route table.
func (c *Client) CreateRoute(ctx context.Context, table simcloud.ID, spec simcloud.RouteSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error) {
	return mutate[simcloud.RouteTable](ctx, c, "CreateRoute", spec, opts, table)
}

// DeleteRoute removes a route from a route table.
func (c *Client) DeleteRoute(ctx context.Context, table, route simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error) {
	return mutate[simcloud.RouteTable](ctx, c, "DeleteRoute", nil, opts, table, route)
}
