package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func allVMsListedForEach() Mutant {
	return Mutant{
		Name:     "all-vms-listed-for-each",
		Title:    "for each node that is initialised all VMs are listed",
		Issues:   []string{"hcloud#661", "kubernetes#75016"},
		Scenario: "n11-many-at-once",
		Caught:   "not a listing of all VMs for each node",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return listing{right, p.API}
			}}
		},
	}
}

// listing reads all pages before it answers for one VM.
type listing struct {
	cloudprovider.InstancesV2
	api *client.Client
}

func (l listing) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	if _, err := simcloud.ListAll(ctx, l.api.ListInstances, simcloud.ListOptions{}); err != nil {
		return nil, err
	}
	return l.InstancesV2.InstanceMetadata(ctx, node)
}
