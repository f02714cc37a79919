package mutant

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func nodeDeletedOn401() Mutant {
	return Mutant{
		Name:     "node-deleted-on-401",
		Row:      "2",
		Title:    "a refused login is taken for \"there is no such VM\"",
		Issues:   []string{"vsphere#479", "vsphere#355"},
		Fault:    "the token is revoked while a Node is not ready",
		Expected: "keep the Node: who may not ask knows nothing of VMs",
		Scenario: "node-deleted-on-401",
		Caught:   "who is refused knows nothing of VMs",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return refusedIsGone{right}
			}}
		},
	}
}

// refusedIsGone looks a VM up, and has one answer for every way to come back with none.
type refusedIsGone struct{ cloudprovider.InstancesV2 }

func (r refusedIsGone) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	exists, err := r.InstancesV2.InstanceExists(ctx, node)
	if errors.Is(err, simcloud.Unauthenticated) {
		return false, nil
	}
	return exists, err
}
