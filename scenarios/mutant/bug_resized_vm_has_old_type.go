package mutant

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func resizedVMHasOldType() Mutant {
	return Mutant{
		Name:     "resized-vm-has-old-type",
		Row:      "17",
		Title:    "the type of a VM is remembered for ever, so that not even a new Node has the right labels",
		Issues:   []string{"kubernetes#129879", "kubernetes#131096"},
		Fault:    "a VM is resized, and its Node registers anew",
		Expected: "label the new Node with the type of now (the labels of the old one stay: they are set once)",
		Scenario: "resized-vm-has-old-type",
		Caught:   "A CCM must label a node that registers anew with what its VM is now",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return &typeCache{InstancesV2: right, types: map[string]string{}}
			}}
		},
	}
}

// typeCache saves a call: the type of a VM does not change.
type typeCache struct {
	cloudprovider.InstancesV2

	mu    sync.Mutex
	types map[string]string // by provider id
}

func (c *typeCache) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	right, err := c.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.types[right.ProviderID]; !known {
		c.types[right.ProviderID] = right.InstanceType
	}
	found := *right
	found.InstanceType = c.types[right.ProviderID]
	return &found, nil
}
