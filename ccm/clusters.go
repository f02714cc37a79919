package ccm

import (
	"context"
	"fmt"
	"net/url"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type clusterAPI interface {
	ListClusters(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Cluster], error)
}

// clusters implements cloudprovider.Clusters, over the clusters that the cloud has been told of.
type clusters struct{ api clusterAPI }

var _ cloudprovider.Clusters = (*clusters)(nil)

// ListClusters returns the names of the project's clusters, in the cloud's order.
func (c *clusters) ListClusters(ctx context.Context) ([]string, error) {
	all, err := simcloud.ListAll(ctx, c.api.ListClusters, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	if err != nil {
		return nil, fmt.Errorf("list the clusters: %w", err)
	}
	names := []string{}
	for _, cluster := range all {
		names = append(names, cluster.Name)
	}
	return names, nil
}

// Master returns the host of a cluster's control plane, an address or a DNS
// name. A cluster that the cloud does not know is an error.
func (c *clusters) Master(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("the name of the cluster is empty: give one of ListClusters")
	}
	found, err := simcloud.ListAll(ctx, c.api.ListClusters, simcloud.ListOptions{Name: name})
	if err != nil {
		return "", fmt.Errorf("list the clusters to find %s: %w", name, err)
	}
	if len(found) != 1 || found[0].Name != name {
		return "", fmt.Errorf("the cloud has %d clusters with the name %s: must be one", len(found), name)
	}
	endpoint, err := url.Parse(found[0].Endpoint)
	if err != nil || endpoint.Hostname() == "" {
		return "", fmt.Errorf("the endpoint %q of cluster %s is not a URL such as https://10.0.0.1:6443", found[0].Endpoint, name)
	}
	return endpoint.Hostname(), nil
}
