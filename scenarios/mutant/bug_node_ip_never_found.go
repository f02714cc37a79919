package mutant

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func nodeIPNeverFound() Mutant {
	return Mutant{
		Name:     "node-ip-never-found",
		Row:      "15",
		Title:    "only the first address of each type is reported, and the kubelet was told another one",
		Issues:   []string{"equinix#193", "proxmox#111"},
		Fault:    "a kubelet was told an address that its VM gets later, as its second",
		Expected: "keep the taint until the VM has the address, and then initialise the Node",
		Scenario: "node-ip-never-found",
		Caught:   "When the VM has the address, a CCM must initialise the node",
		Also:     []string{"dual-stack-address-lost", "n05-node-ip"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return firstAddresses{right}
			}}
		},
	}
}

// firstAddresses thinks of a VM as of something with one private and one public address.
type firstAddresses struct{ cloudprovider.InstancesV2 }

func (f firstAddresses) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	right, err := f.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	found := *right
	found.NodeAddresses = nil
	for _, a := range right.NodeAddresses {
		taken := func(b corev1.NodeAddress) bool { return a.Type == b.Type }
		if !slices.ContainsFunc(found.NodeAddresses, taken) {
			found.NodeAddresses = append(found.NodeAddresses, a)
		}
	}
	return &found, nil
}
