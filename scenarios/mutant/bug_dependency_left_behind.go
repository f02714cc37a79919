package mutant

import (
	"context"
	"errors"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func dependencyLeftBehind() Mutant {
	return Mutant{
		Name:     "dependency-left-behind",
		Row:      "25",
		Title:    "that a part cannot be deleted yet is ignored, in the hope that it goes with the load balancer",
		Issues:   []string{"aws#566", "kubernetes#109698", "kubernetes#79994", "vsphere#1416"},
		Fault:    "the address of a deleted load balancer is in use for a while; a Service is deleted while a quota keeps it from its address",
		Expected: "the finalizer stays until the part is deleted, and nothing is left",
		Scenario: "dependency-left-behind",
		Caught:   "nobody else will remember the part",
		open: func(p Provider) cloudprovider.Interface {
			return p.right(ignoresInUse{p.API})
		},
	}
}

// ignoresInUse does not come back to what is in use.
type ignoresInUse struct{ *client.Client }

func (i ignoresInUse) DeleteFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	op, err := i.Client.DeleteFloatingIP(ctx, id, opts...)
	if errors.Is(err, simcloud.InUse) {
		klog.InfoS("Ignoring that the floating IP is in use, assuming because the load balancer is in process of deleting", "id", id)
		return op, nil
	}
	return op, err
}
