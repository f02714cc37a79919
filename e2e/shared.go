package e2e

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/sweep"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// bootShared boots a hollow node, whatever the machine is meant to be, unless
// another client has a Node of its name: a hollow node takes over one that is there.
func (c *Cluster) bootShared(ctx context.Context, spec machine.HollowSpec, mark sweep.Mark) (machine.Node, error) {
	node, err := c.Kube.CoreV1().Nodes().Get(ctx, spec.Name, metav1.GetOptions{})
	switch {
	case err == nil && !mark.On(node.Labels):
		return nil, simcloud.Errorf(simcloud.AlreadyExists, "node/"+spec.Name,
			"the cluster has a Node of this name, which is not of this run: give the instance another hostname")
	case err != nil && !apierrors.IsNotFound(err):
		return nil, fmt.Errorf("look for the Node %s: %w", spec.Name, err)
	}
	return machine.StartHollow(ctx, c.Kube, spec, c.timings.pace(), c.log)
}

// emptyShared removes what carries the mark, and makes again what the CCM needs.
func (c *Cluster) emptyShared(ctx context.Context, mark sweep.Mark) error {
	if err := sweep.Marked(ctx, c.RESTConfig, mark); err != nil {
		return err
	}
	if err := manager.RestoreHost(ctx, c.Kube); err != nil {
		return err
	}
	return manager.Grant(ctx, c.Kube)
}
