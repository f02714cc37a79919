package node

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
)

// GetZone returns the zone of the instance that the provider itself runs on.
// It is an error when the cloud does not have that instance.
func (i *InstancesV1) GetZone(ctx context.Context) (cloudprovider.Zone, error) {
	host, err := i.Hostname()
	if err != nil {
		return cloudprovider.Zone{}, fmt.Errorf("find out which host this is: %w", err)
	}
	zone, err := i.zone(ctx, i.nodes.Get(host))
	if err != nil {
		return zone, fmt.Errorf("find the instance that this process runs on: %w", err)
	}
	return zone, nil
}

// GetZoneByProviderID returns the zone of an instance.
func (i *InstancesV1) GetZoneByProviderID(ctx context.Context, providerID string) (cloudprovider.Zone, error) {
	node, err := i.byProviderID(providerID)
	if err != nil {
		return cloudprovider.Zone{}, err
	}
	return i.zone(ctx, node)
}

// GetZoneByNodeName returns the zone of the instance that a Node is.
func (i *InstancesV1) GetZoneByNodeName(ctx context.Context, name types.NodeName) (cloudprovider.Zone, error) {
	return i.zone(ctx, i.nodes.Get(string(name)))
}

func (i *InstancesV1) zone(ctx context.Context, node *v1.Node) (cloudprovider.Zone, error) {
	inst, err := i.described(ctx, node)
	if err != nil {
		return cloudprovider.Zone{}, err
	}
	return cloudprovider.Zone{FailureDomain: string(inst.Zone), Region: string(inst.Region)}, nil
}
