package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func startsInstances() Mutant {
	return Mutant{
		Name:     "starts-instances",
		Title:    "VMs are started when their Nodes are initialised",
		Scenario: "node-deletion",
		Caught:   "It follows them.",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return starter{right, p.API}
			}}
		},
	}
}

type starter struct {
	cloudprovider.InstancesV2
	api *client.Client
}

func (s starter) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	found, err := s.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil || node.Spec.ProviderID != "" {
		return found, err
	}
	id, err := providerid.Parse(found.ProviderID)
	if err == nil {
		_, err = s.api.StartInstance(ctx, id.Instance)
	}
	return found, err
}
