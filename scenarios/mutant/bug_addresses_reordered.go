package mutant

import (
	"context"
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func addressesReordered() Mutant {
	return Mutant{
		Name:     "addresses-reordered",
		Row:      "16",
		Title:    "addresses come in another order each time, so that the Node is written in every period",
		Issues:   []string{"azure#3586"},
		Fault:    "a VM has addresses of both families, and nothing happens",
		Expected: "report all, in one order, and go on doing so",
		Scenario: "dual-stack-address-lost",
		Caught:   "They must stay, in one order",
		Also:     []string{"n05-node-ips-of-both-families", "n07-ipv6-added"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return &unordered{InstancesV2: right}
			}}
		},
	}
}

// unordered has a map of addresses, and walks through it as maps are walked through.
type unordered struct {
	cloudprovider.InstancesV2
	calls atomic.Int64
}

func (u *unordered) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	right, err := u.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil || u.calls.Add(1)%2 == 1 {
		return right, err
	}
	found := *right
	found.NodeAddresses = slices.Clone(right.NodeAddresses)
	slices.Reverse(found.NodeAddresses)
	return &found, nil
}
