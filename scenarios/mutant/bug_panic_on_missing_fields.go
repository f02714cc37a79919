package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"
)

func panicOnMissingFields() Mutant {
	return Mutant{
		Name:     "panic-on-missing-fields",
		Row:      "46",
		Title:    "the first public address of a VM is read, also where there is none",
		Issues:   []string{"hcloud#42", "hcloud#77", "hcloud#116", "kubernetes#68209", "kubernetes#102660", "exoscale#53", "openstack#1055", "oci#177"},
		Fault:    "a VM has no public address",
		Expected: "initialise its node with the addresses that there are",
		Scenario: "panic-on-missing-fields",
		Caught:   "A CCM must not panic",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return wantsPublic{right}
			}}
		},
	}
}

// wantsPublic has only met VMs with a public address.
type wantsPublic struct{ cloudprovider.InstancesV2 }

func (w wantsPublic) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	found, err := w.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	var public []string
	for _, a := range found.NodeAddresses {
		if a.Type == corev1.NodeExternalIP {
			public = append(public, a.Address)
		}
	}
	klog.V(2).InfoS("Found the VM of the node", "node", node.Name, "address", public[0])
	return found, nil
}
