package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListClusters returns one page of clusters.
func (c *Client) ListClusters(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Cluster], error) {
	return list[simcloud.Cluster](ctx, c, "ListClusters", opts)
}

// GetCluster returns a cluster.
func (c *Client) GetCluster(ctx context.Context, id simcloud.ID) (simcloud.Cluster, error) {
	return get[simcloud.Cluster](ctx, c, "GetCluster", id)
}

// CreateCluster makes a cluster.
func (c *Client) CreateCluster(ctx context.Context, spec simcloud.ClusterSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Cluster], error) {
	return mutate[simcloud.Cluster](ctx, c, "CreateCluster", spec, opts)
}

// UpdateCluster changes the endpoint and labels of a cluster.
func (c *Client) UpdateCluster(ctx context.Context, id simcloud.ID, update simcloud.ClusterUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Cluster], error) {
	return mutate[simcloud.Cluster](ctx, c, "UpdateCluster", update, opts, id)
}

// DeleteCluster deletes a cluster.
func (c *Client) DeleteCluster(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteCluster", id, opts)
}
