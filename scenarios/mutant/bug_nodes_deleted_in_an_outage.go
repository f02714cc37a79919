package mutant

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func nodesDeletedInAnOutage() Mutant {
	return Mutant{
		Name:     "nodes-deleted-in-an-outage",
		Row:      "10",
		Title:    "after some failed lookups in a row a VM is taken for gone",
		Issues:   []string{"kubernetes#13412"},
		Fault:    "the cloud answers 500 to everything for long, and no Node is ready",
		Expected: "delete none, however long it is",
		Scenario: "nodes-deleted-in-an-outage",
		Caught:   "A CCM must not lose its patience",
		Also: []string{
			"node-deleted-on-401", "node-deleted-on-network-error", "node-deleted-on-empty-cache", "l12-outage",
			"node-deleted-before-provider-id", "node-deleted-before-vm-visible", // a new VM that is not seen yet is an error as well
		},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return &losesPatience{InstancesV2: right, failed: map[string]int{}}
			}}
		},
	}
}

// mostLookups is after how many failures in a row a VM is given up.
const mostLookups = 3

// losesPatience tries a few times, as one does with a single machine that is dead.
type losesPatience struct {
	cloudprovider.InstancesV2

	mu     sync.Mutex
	failed map[string]int // lookups in a row, by Node
}

func (i *losesPatience) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	exists, err := i.InstancesV2.InstanceExists(ctx, node)
	i.mu.Lock()
	defer i.mu.Unlock()
	if err == nil {
		delete(i.failed, node.Name)
		return exists, nil
	}
	if i.failed[node.Name]++; i.failed[node.Name] > mostLookups {
		return false, nil
	}
	return false, err
}
