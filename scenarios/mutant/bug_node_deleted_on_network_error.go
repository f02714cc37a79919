package mutant

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func nodeDeletedOnNetworkError() Mutant {
	return Mutant{
		Name:     "node-deleted-on-network-error",
		Row:      "3",
		Title:    "a connection that breaks is taken for \"there is no such VM\"",
		Issues:   []string{"oci#57"},
		Fault:    "connections are reset, and lists answered with 503, while a Node is not ready",
		Expected: "keep the Node: without an answer nothing is known of the VM",
		Scenario: "node-deleted-on-network-error",
		Caught:   "without an answer nothing is known of a VM",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return unansweredIsGone{right}
			}}
		},
	}
}

// unansweredIsGone looks at whether a VM came back, not at why it did not.
type unansweredIsGone struct{ cloudprovider.InstancesV2 }

func (u unansweredIsGone) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	exists, err := u.InstancesV2.InstanceExists(ctx, node)
	if errors.Is(err, simcloud.Unavailable) || errors.Is(err, simcloud.Timeout) {
		return false, nil
	}
	return exists, err
}
