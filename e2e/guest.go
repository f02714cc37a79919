package e2e

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Mark is a label that says who made an object.
type Mark struct{ Key, Value string }

// Selector chooses the objects that carry the mark.
func (m Mark) Selector() string { return m.Key + "=" + m.Value }

// On reports whether labels have the mark.
func (m Mark) On(labels map[string]string) bool { return m.Value != "" && labels[m.Key] == m.Value }

// bootShared boots a hollow node, whatever the machine is meant to be, unless
// somebody else has a Node of its name: a hollow node takes over one that is there.
func (c *Cluster) bootShared(ctx context.Context, spec machine.HollowSpec, mark Mark) (machine.Node, error) {
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
func (c *Cluster) emptyShared(ctx context.Context, mark Mark) error {
	if err := SweepMarked(ctx, c.RESTConfig, mark); err != nil {
		return err
	}
	if err := RestoreHost(ctx, c.Kube); err != nil {
		return err
	}
	return grantCCM(ctx, c.Kube)
}

// MadeByRoutes reports whether a Node has the condition that a route
// controller sets. On a Node of somebody else it is one of the few things that a CCM changes there.
func MadeByRoutes(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeNetworkUnavailable && (c.Reason == "RouteCreated" || c.Reason == "NoRouteCreated") {
			return true
		}
	}
	return false
}
