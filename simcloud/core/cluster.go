package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type clusterResult = simcloud.Result[simcloud.Cluster]

// ListClusters lists clusters.
func (c *Cloud) ListClusters(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Cluster], error) {
	return list(ctx, c, store.Clusters, opts, ofProject, noStates)
}

// GetCluster returns one cluster.
func (c *Cloud) GetCluster(ctx context.Context, id simcloud.ID) (simcloud.Cluster, error) {
	return get(ctx, c, store.Clusters, id)
}

// CreateCluster notes a cluster.
func (m mutations) CreateCluster(ctx context.Context, spec simcloud.ClusterSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Cluster], error) {
	req := request{verb: "CreateCluster", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (clusterResult, error) {
		other, taken, err := store.Clusters.First(t.tx, store.Query{Project: t.caller.Project, Name: spec.Name})
		if err != nil {
			return clusterResult{}, err
		}
		if taken {
			return clusterResult{}, simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindCluster, other.ID),
				"the project has a cluster %q", spec.Name)
		}
		cluster := simcloud.Cluster{Endpoint: spec.Endpoint}
		if cluster.Meta, err = newMeta(t, store.Clusters, spec.Name, spec.Labels); err != nil {
			return clusterResult{}, err
		}
		return insert(t, store.Clusters, cluster)
	})
}

// UpdateCluster changes the endpoint and the labels.
func (m mutations) UpdateCluster(
	ctx context.Context, id simcloud.ID, update simcloud.ClusterUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Cluster], error) {
	req := request{verb: "UpdateCluster", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (clusterResult, error) {
		before, err := getForUpdate(t, store.Clusters, id)
		if err != nil {
			return clusterResult{}, err
		}
		after := before
		setLabels(&after.Meta, update.Labels)
		if update.Endpoint != nil {
			after.Endpoint = *update.Endpoint
		}
		return replace(t, store.Clusters, before, after)
	})
}

// DeleteCluster forgets a cluster.
func (m mutations) DeleteCluster(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteCluster", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) { return removeUnused(t, store.Clusters, id) })
}
