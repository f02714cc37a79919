package mutant

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func dualStackAddressLost() Mutant {
	return Mutant{
		Name:     "dual-stack-address-lost",
		Row:      "16",
		Title:    "the addresses of one family alone are reported",
		Issues:   []string{"openstack#1954", "kubernetes#111695", "kubernetes#101029", "azure#3586"},
		Fault:    "a VM has addresses of both families",
		Expected: "report all, in one order, and go on doing so",
		Scenario: "dual-stack-address-lost",
		Caught:   "A CCM must report the addresses of both families",
		Also:     []string{"n05-node-ips-of-both-families", "n07-ipv6-added"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return oneFamily{right}
			}}
		},
	}
}

// oneFamily is of a time when a node had addresses of one family.
type oneFamily struct{ cloudprovider.InstancesV2 }

func (o oneFamily) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	right, err := o.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	found := *right
	found.NodeAddresses = slices.DeleteFunc(slices.Clone(right.NodeAddresses), func(a corev1.NodeAddress) bool {
		return strings.Contains(a.Address, ":")
	})
	return &found, nil
}
